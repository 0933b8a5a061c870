/** The file a store is in, by its address. Undefined for one on a server. */
export function storeFile(address: string): string | undefined {
  if (/^postgres(?:ql)?:\/\//.test(address)) return undefined;
  return address.replace(/^sqlite:(?:\/\/)?/, '');
}
