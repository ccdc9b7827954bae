import type { ProjectId } from "@atrium/domain/shared/Ids"

import type { PlayedMigration, PlayedSchema, PlayedStorage } from "./PlayedSchemas.ts"

const firstSchema: PlayedSchema = { level: 1, added: 0 }

/** The schemas and migrations of a world's projects. Migrations stay in the folder of a project. */
export class PlayedStorages {
  readonly #now: (project: ProjectId) => PlayedSchema | null
  readonly #migrations = new Map<ProjectId, ReadonlyArray<PlayedMigration>>()
  #level = firstSchema.level

  /** @param now the schema of the version that the project runs; `null` = it runs none */
  constructor(now: (project: ProjectId) => PlayedSchema | null) {
    this.#now = now
  }

  /** The storage of now, with the migrations that were written so far. */
  same(project: ProjectId): PlayedStorage {
    const migrations = this.#migrations.get(project) ?? []
    return { schema: this.#now(project) ?? firstSchema, migrations }
  }

  /** A field more. */
  grown(project: ProjectId): PlayedStorage {
    const { schema, migrations } = this.same(project)
    return { schema: { ...schema, added: schema.added + 1 }, migrations }
  }

  /** A level that no version had, with or without a migration to it. */
  broken(
    project: ProjectId,
    migration: Pick<PlayedMigration, "back" | "throwsFor"> | null
  ): PlayedStorage {
    const { schema, migrations } = this.same(project)
    const next = { level: ++this.#level, added: 0 }
    if (migration === null) return { schema: next, migrations }
    const written = [...migrations, { from: schema, to: next, ...migration }]
    this.#migrations.set(project, written)
    return { schema: next, migrations: written }
  }

  /** No migration throws any more. */
  mended(project: ProjectId): PlayedStorage {
    const { schema, migrations } = this.same(project)
    const mended = migrations.map((migration) => ({ ...migration, throwsFor: null }))
    this.#migrations.set(project, mended)
    return { schema, migrations: mended }
  }
}
