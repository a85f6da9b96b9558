import { archiveNames } from '#platform/archive-names.ts';

interface Placed {
  folder: readonly string[];
  name: string;
}

/** The path of each file in an archive, its folders first: safe to extract anywhere, and no two alike, not even a folder and a file. */
export function archivePaths(files: readonly Placed[]): string[] {
  const paths = new Map<Placed, string>();
  place(files, 0, '', paths);
  return files.map((file) => paths.get(file) ?? file.name);
}

/** Names what stands at one level: its folders, which then name what is in them, and its files. */
function place(files: readonly Placed[], depth: number, above: string, paths: Map<Placed, string>): void {
  const below = Map.groupBy(files, ({ folder }) => folder[depth]);
  const folders = [...below.keys()].filter((name) => name !== undefined);
  const here = below.get(undefined) ?? [];
  const names = archiveNames([...folders, ...here.map(({ name }) => name)]);
  for (const [i, folder] of folders.entries()) place(below.get(folder) ?? [], depth + 1, `${above}${names[i] ?? folder}/`, paths);
  for (const [i, file] of here.entries()) paths.set(file, above + (names[folders.length + i] ?? file.name));
}
