/** A word for the loop's shell that stands for exactly this text. One line, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('\n', `'"$_nl"'`)}'`;
}

/** A name the shell itself can export. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
