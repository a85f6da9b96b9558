/** The ids that a form or an address names, each once. */
export const idsIn = (named: FormData | URLSearchParams): string[] =>
  [...new Set(named.getAll('id').map(String))].slice(0, 1000);
