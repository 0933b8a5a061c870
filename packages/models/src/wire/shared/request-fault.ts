/** What llama.cpp answers with status 500 though the request is at fault: trying again changes nothing. */
const faults: readonly RegExp[] = [
  /(image|audio|video) input is not supported/i,
  /tools? param requires --jinja/i,
];

/** Whether a server that says it failed really refuses the request. */
export function isRequestFault(message: string): boolean {
  return faults.some((fault) => fault.test(message));
}
