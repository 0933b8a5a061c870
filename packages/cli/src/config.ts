import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the environment says about this process. The only reader of it in this package. */
export interface Config {
  /** Colours on or off, where the environment insists. */
  readonly color: boolean | undefined;
  /** Columns of the output, where the environment says so. */
  readonly columns: number | undefined;
  /** FORGE_BACKEND_API_KEY: the key the proxy sends to its backend. */
  readonly backendApiKey: string | undefined;
  /** FORGE_PROXY_API_KEY: the key callers of the proxy have to send. */
  readonly proxyApiKey: string | undefined;
  /** FORGE_BACKEND_ADDRESSES: where to look for model servers, instead of the usual places. */
  readonly backendAddresses: readonly string[] | undefined;
  /** The user's home folder. */
  readonly home: string;
  /** The user's own configuration of Forge, by the XDG rules. */
  readonly configFolder: string;
  /** What Forge keeps from one start to the next, by the XDG rules. */
  readonly stateFolder: string;
  /** FORGE_STORE: where runs are kept, as `openStore` takes it. Default: a file of the user's own. */
  readonly store: string;
  /** A variable by its name, for settings that name one. A blank one is one that is not set. */
  readonly variable: (name: string) => string | undefined;
  /** The names of all that are set and begin so, sorted. */
  readonly variablesWith: (prefix: string) => readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment = process.env): Config {
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const home = variable('HOME') ?? homedir();
  const stateFolder = join(variable('XDG_STATE_HOME') ?? join(home, '.local', 'state'), 'forge');
  return {
    color: readColor(environment),
    columns: readColumns(environment),
    backendApiKey: variable('FORGE_BACKEND_API_KEY'),
    proxyApiKey: variable('FORGE_PROXY_API_KEY'),
    backendAddresses: variable('FORGE_BACKEND_ADDRESSES')
      ?.split(',')
      .map((address) => address.trim())
      .filter((address) => URL.canParse(address)),
    home,
    configFolder: join(variable('XDG_CONFIG_HOME') ?? join(home, '.config'), 'forge'),
    stateFolder,
    store: variable('FORGE_STORE') ?? join(stateFolder, 'runs.db'),
    variable,
    variablesWith: (prefix) =>
      Object.keys(environment)
        .filter((name) => name.startsWith(prefix) && variable(name) !== undefined)
        .sort(),
  };
}

/** FORCE_COLOR wins over NO_COLOR, as it does in Node itself. */
function readColor({ FORCE_COLOR, NO_COLOR, TERM }: Environment): boolean | undefined {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  return TERM === 'dumb' ? false : undefined;
}

function readColumns({ COLUMNS }: Environment): number | undefined {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}
