/** The JSON text of a value to be kept on an error; nothing for one nested too deep to be written. */
export function textForError(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
