import { globSync } from "node:fs"
import { join } from "node:path"

import type { NounTables } from "../NounTables.ts"

const source = join(import.meta.dirname, "../..")

const isNounTables = (value: unknown): value is NounTables =>
  typeof value === "object" && value !== null && "migrations" in value && "purge" in value

/**
 * The tables of every noun, found by the name of their file. The service has them from its list of
 * features, which this package cannot know; a test of that list compares both.
 */
export const allTables: ReadonlyArray<NounTables> = (
  await Promise.all(
    globSync("*/*Tables.ts", { cwd: source })
      .toSorted()
      .map(async (path): Promise<object> => import(join(source, path)))
  )
).flatMap((module) => Object.values(module).filter(isNounTables))
