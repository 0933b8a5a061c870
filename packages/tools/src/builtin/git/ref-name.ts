import { ForgeError } from '@forge/core';

const allowed = /^[A-Za-z0-9_][A-Za-z0-9_./~^-]*$/;

/** A revision a model may name: a branch, tag, commit, or one before it. Never an option or a range. */
export function checkRevision(revision: string): string {
  if (!allowed.test(revision) || revision.includes('..') || revision.length > 250) {
    throw new ForgeError(
      'tool_failed',
      `${JSON.stringify(revision.slice(0, 80))} is not a revision. Give a branch, tag or commit such as "main", "v1.2" or "HEAD~1".`,
    );
  }
  return revision;
}

/** A name a branch may get, by the rules of git. */
export function checkBranchName(name: string): string {
  const wrong =
    !/^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(name) ||
    name.length > 250 ||
    name.includes('..') ||
    name.includes('//') ||
    name.endsWith('/') ||
    name === 'HEAD' ||
    name
      .split('/')
      .some((part) => part.startsWith('.') || part.endsWith('.lock') || part.endsWith('.'));
  if (wrong) {
    throw new ForgeError(
      'tool_failed',
      `${JSON.stringify(name.slice(0, 80))} is not a name for a branch. Use letters, digits, "-", "_" and "/", such as "fix/login-timeout".`,
    );
  }
  return name;
}
