import type { McpTestReport } from '@forge/tools/mcp';
import { printable } from '../../printable.ts';
import type { Terminal } from '../../terminal.ts';

/** What came of trying a server out. */
export function showReport(
  terminal: Terminal,
  {
    name,
    report,
    json,
  }: { readonly name: string; readonly report: McpTestReport; readonly json: boolean },
): void {
  if (json) {
    terminal.out(JSON.stringify({ name, ...report }));
    return;
  }
  const { ok, status, tools, log } = report;
  if (ok) {
    terminal.out(`${terminal.style('green', '✓')} ${name} answers and has ${tools.length} tools:`);
    for (const tool of tools) terminal.out(`  ${printable(tool.name)}`);
  } else {
    terminal.out(
      `${terminal.style('red', '✗')} ${name} ${status.state}: ${printable(status.error ?? 'no reason given', 500)}`,
    );
    for (const line of log.slice(-10)) terminal.err(`  ${printable(line)}`);
  }
  for (const note of status.notes) terminal.err(`note: ${printable(note)}`);
}
