import type { Config } from '../config.ts';

/** Variables of any name that look as if they held a secret. */
const secretName = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/;
const shortest = 8;

/** The values of variables that hold keys: none of them may reach the log. */
export function knownKeys({ variable, variablesWith }: Config): readonly string[] {
  return variablesWith('')
    .filter((name) => secretName.test(name))
    .flatMap((name) => variable(name) ?? [])
    .filter((value) => value.length >= shortest);
}
