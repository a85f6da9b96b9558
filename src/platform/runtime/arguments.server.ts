import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigurationError } from './startup.server.ts';
import { VERSION } from './version.server.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>;

/**
 * Reads the arguments of a command. `--help` prints its usage and `--version` the version of the portal, and both end it.
 * Throws a ConfigurationError with the usage for an option that it does not have, and for more than `maxNames` arguments
 * that are no option.
 */
export function readArguments<const T extends Options>(
  usage: string,
  options: T,
  maxNames = 0,
): Pick<Parsed<T>, 'values' | 'positionals'> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) end(usage);
  if (args.includes('--version')) end(VERSION);
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length > maxNames)
      throw new ConfigurationError(`"${positionals[maxNames]}" is one argument too many.\n\n${usage}`);
    return { values, positionals };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || !code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new ConfigurationError(`${error.message.split('. ', 1)[0]}.\n\n${usage}`);
  }
}

function end(text: string): never {
  process.stdout.write(`${text}\n`);
  process.exit(0);
}
