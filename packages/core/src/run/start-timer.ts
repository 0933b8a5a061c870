/** The longest delay a timer can have. Beyond it (24.8 days) they fire at once. */
const longest = 2 ** 31 - 1;

/** A timer, or none where the time is too long to be waited for in one process. */
export function startTimer(
  ms: number,
  onTime: () => void,
): ReturnType<typeof setTimeout> | undefined {
  return ms <= longest ? setTimeout(onTime, ms) : undefined;
}
