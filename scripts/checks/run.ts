import { fileURLToPath } from 'node:url';
import { checkCorePurity } from './core-purity.ts';
import { checkDeclaredDependencies } from './declared-dependencies.ts';
import { checkDependencyDirection } from './dependency-direction.ts';
import { checkEnvironmentReads } from './environment-reads.ts';
import { checkLockfile } from './lockfile.ts';
import { checkPackageReadmes } from './package-readmes.ts';
import { checkPrinting } from './printing.ts';
import { formatViolation } from './violation.ts';

const checks = {
  'packages import downward only': checkDependencyDirection,
  'packages import what they declare': checkDeclaredDependencies,
  'the kernel is pure': checkCorePurity,
  'only config reads the environment': checkEnvironmentReads,
  'only the terminal and the logger print': checkPrinting,
  'every package has a short README': checkPackageReadmes,
  'the lockfile holds no addresses': checkLockfile,
};

const root = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
let broken = 0;
for (const [rule, check] of Object.entries(checks)) {
  const violations = check(root);
  broken += violations.length;
  console.log(`${violations.length === 0 ? 'ok  ' : 'FAIL'}  ${rule}`);
  for (const violation of violations) console.error(formatViolation(violation));
}
process.exitCode = broken === 0 ? 0 : 1;
