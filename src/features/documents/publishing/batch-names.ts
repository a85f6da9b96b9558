const MAX_NAME = 100;

/** The name of a batch: the words that the names of all its files share, in the order of the first; else its name. */
export function nameFor(files: readonly string[]): string {
  const [first = '', ...others] = files.map((name) => name.replace(/\.[^.]+$/, ''));
  const shared = wordsOf(first).filter((word) =>
    others.every((name) => wordsOf(name).some((other) => other.toLowerCase() === word.toLowerCase())),
  );
  const name = shared.some((word) => /\p{L}{3}/u.test(word)) ? shared.join(' ') : first;
  return name.slice(0, MAX_NAME);
}

const wordsOf = (name: string): string[] => name.split(/[\s_]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
