import { archiveNames } from './archive-names.ts';

/** What goes into an archive: the folders that lead to it, the outermost first, by what tells them apart, and its own name. */
interface Placed {
  folder: readonly string[];
  name: string;
}

/**
 * The path of each file in an archive, its folders first: safe to extract anywhere, and no two alike, not even a folder and a file. Names
 * are made safe and different on each level by itself, so that none leads out of its folder. `nameOf` names a folder that is told apart by
 * something else than its name.
 */
export function archivePaths(files: readonly Placed[], nameOf: (folder: string) => string = (folder) => folder): string[] {
  const paths = new Map<Placed, string>();
  place(files, 0, '', paths, nameOf);
  return files.map((file) => paths.get(file) ?? file.name);
}

/** Names what stands at one level: its folders, which then name what is in them, and its files. */
function place(files: readonly Placed[], depth: number, above: string, paths: Map<Placed, string>, nameOf: (folder: string) => string): void {
  const below = Map.groupBy(files, ({ folder }) => folder[depth]);
  const folders = [...below.keys()].filter((folder) => folder !== undefined);
  const here = below.get(undefined) ?? [];
  const names = archiveNames([...folders.map(nameOf), ...here.map(({ name }) => name)]);
  for (const [i, folder] of folders.entries()) place(below.get(folder) ?? [], depth + 1, `${above}${names[i] ?? folder}/`, paths, nameOf);
  for (const [i, file] of here.entries()) paths.set(file, above + (names[folders.length + i] ?? file.name));
}
