import { isMigration, type Migration } from "./DefineMigration.ts"

/** One change that a bundle brings, as it tells the service. */
export interface MigrationDescriptor {
  /** `null` = the persisted fields of players. */
  readonly type: string | null
  readonly from: string
  /** `null` = the room type is removed. */
  readonly to: string | null
  /** Its own code makes the new state; `false` = it goes on by name. */
  readonly code: boolean
  /** It has a way back. */
  readonly back: boolean
}

/** The migrations among all exports of a bundle, by the file and export that they come from. */
export const migrationsIn = (
  exported: Readonly<Record<string, unknown>>
): ReadonlyMap<string, Migration> => {
  const found = new Map<string, Migration>()
  for (const [name, value] of Object.entries(exported)) {
    if (isMigration(value)) found.set(name, value)
  }
  return found
}

/** Errors: `Error` that names two migrations for the same change. */
export const describeMigrations = (
  exported: Readonly<Record<string, unknown>>
): ReadonlyArray<MigrationDescriptor> => {
  const byChange = new Map<string, string>()
  return [...migrationsIn(exported)].flatMap(([name, migration]) =>
    changesOf(migration).map((change) => {
      const key = JSON.stringify([change.type, change.from, change.to])
      const other = byChange.get(key)
      if (other !== undefined) {
        const what = change.type ?? "player"
        throw new Error(`${what}: ${fileOf(other)} and ${fileOf(name)} are for the same change`)
      }
      byChange.set(key, name)
      return change
    })
  )
}

/** `migrations/0003-hp.ts#default` is an export of `migrations/0003-hp.ts`. */
export const fileOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("#")))

const changesOf = ({ rooms = {}, player }: Migration): ReadonlyArray<MigrationDescriptor> => [
  ...Object.entries(rooms).map(([type, room]): MigrationDescriptor =>
    "removed" in room
      ? { type, from: room.from, to: null, code: false, back: false }
      : {
          type,
          from: room.from,
          to: room.to,
          code: room.migrate !== undefined,
          back: room.back !== undefined
        }
  ),
  ...(player === undefined
    ? []
    : [
        {
          type: null,
          from: player.from,
          to: player.to,
          code: true,
          back: player.back !== undefined
        }
      ])
]
