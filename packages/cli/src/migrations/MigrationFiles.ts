import { join } from "node:path"

import { Effect, FileSystem } from "effect"

import { Misused } from "../CommandFailure.ts"

/** The folder of a project's migrations, relative to its root. */
export const migrationsFolder = "migrations"

const isMigrationName = (name: string): boolean => /^\d{4}-.*\.[jt]s$/.test(name)

/** The names of a project's migrations, in their order; none = there is no such folder. Another failure is {@link Misused}. */
export const migrationNames = Effect.fn("MigrationFiles.names")(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs
    .readDirectory(join(root, migrationsFolder))
    .pipe(
      Effect.catch(({ message, reason }) =>
        reason._tag === "NotFound"
          ? Effect.succeed<Array<string>>([])
          : Effect.fail(new Misused({ message: `${migrationsFolder}: ${message}` }))
      )
    )
  return names.filter(isMigrationName).sort()
})

/** The same as paths of files. */
export const migrationFiles = Effect.fn("MigrationFiles.find")(function* (root: string) {
  const names = yield* migrationNames(root)
  return names.map((name) => join(root, migrationsFolder, name))
})
