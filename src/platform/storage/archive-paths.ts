import { archiveNames } from './archive-names.ts';

/** A file in an archive: its own name and its folder path, outermost first, as unique folder keys. */
interface ArchiveFile {
  folder: readonly string[];
  name: string;
}

/**
 * The path of each file in an archive: safe to extract anywhere and unique, also between folders and files.
 * Names are made safe and unique per level, so that no path can leave its folder. `nameOf` gives the display
 * name of a folder key.
 */
export function archivePaths(
  files: readonly ArchiveFile[],
  nameOf: (folder: string) => string = (folder) => folder,
): string[] {
  const paths = new Map<ArchiveFile, string>();
  assignPaths(files, 0, '', paths, nameOf);
  return files.map((file) => paths.get(file) ?? file.name);
}

/** Names the folders and files of one level, then recurses into the folders. */
function assignPaths(
  files: readonly ArchiveFile[],
  depth: number,
  parentPath: string,
  paths: Map<ArchiveFile, string>,
  nameOf: (folder: string) => string,
): void {
  const byFolder = Map.groupBy(files, ({ folder }) => folder[depth]);
  const folders = [...byFolder.keys()].filter((folder) => folder !== undefined);
  const here = byFolder.get(undefined) ?? [];
  const names = archiveNames([...folders.map(nameOf), ...here.map(({ name }) => name)]);
  for (const [i, folder] of folders.entries())
    assignPaths(byFolder.get(folder) ?? [], depth + 1, `${parentPath}${names[i] ?? folder}/`, paths, nameOf);
  for (const [i, file] of here.entries())
    paths.set(file, parentPath + (names[folders.length + i] ?? file.name));
}
