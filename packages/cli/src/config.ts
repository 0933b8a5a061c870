/** What the environment says about this process. The only reader of it in this package. */
export interface Config {
  /** Colours on or off, where the environment insists. */
  readonly color: boolean | undefined;
  /** Columns of the output, where the environment says so. */
  readonly columns: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment = process.env): Config {
  return { color: readColor(environment), columns: readColumns(environment) };
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
