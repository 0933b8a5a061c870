/** How the command ends. Shown in the help. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  interrupted: 130,
} as const;

export const exitCodeHelp = `
Exit codes:
  0    it worked; a run was completed
  1    it did not; a run failed, was cancelled, or has a verdict that is no
  2    the command line was wrong
  130  it was interrupted (Ctrl-C); a run is paused, and "forge resume" goes on`;
