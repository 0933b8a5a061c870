/** A folder as the sandbox sees it. */
export function inFolder(workspace: string, path = '.'): string {
  return path.startsWith('/') ? path : `${workspace}/${path}`;
}
