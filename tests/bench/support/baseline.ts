import { startProgram, type Program } from './program.ts';

/** Starts a program of baselines/ and returns its URL. */
export async function startBaseline(
  name: 'rows' | 'astro' | 'files' | 'static',
  argument: string,
): Promise<Program & { address: string }> {
  const says = 'up at ';
  const program = await startProgram(
    ['--no-experimental-webstorage', `tests/bench/baselines/${name}.ts`, argument],
    { says },
  );
  return { ...program, address: `http://127.0.0.1:${/up at (\d+)/.exec(program.said)?.[1]}` };
}
