import { globSync } from "node:fs"

import { create } from "tar"

/** Packs a folder as npm does, in the order of names and without times and owners: the same files give the same bytes. */
export const pack = (folder: string, file: string): Promise<void> => {
  const files = globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
    .toSorted()
  return create(
    {
      cwd: folder,
      file,
      gzip: { level: 9 },
      portable: true,
      prefix: "package",
      // The moment that npm gives to every file.
      mtime: new Date("1985-10-26T08:15:00.000Z")
    },
    files
  )
}
