/**
 * Agents are known by the project they work for: `guestbook/coder`. Workers of several projects may
 * share a store, and each takes up its own project's runs.
 */
export function projectAgent(project: string, name: string): string {
  return `${project}/${name}`;
}

/** An agent with limits that only one node of a pipeline sets: `coder@fix`. */
export function nodeAgent(agent: string, node: string): string {
  return `${agent}@${node}`;
}

/** The name that the configuration knows it by, without project and node: `coder`. */
export function bareAgent(agent: string): string {
  const [name = ''] = agent.slice(agent.lastIndexOf('/') + 1).split('@');
  return name;
}
