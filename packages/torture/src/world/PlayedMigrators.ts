import type { Migrated, ToMigrate } from "@atrium/actors/process/MigrateProcess"
import type { Migrating } from "@atrium/actors/process/ProcessPool"
import { stateIn, type PlayState } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { Chance } from "@atrium/api/testing/Chance"
import { Effect } from "effect"

import type { PlayedBundle } from "./Deployments.ts"
import type { Host } from "./Host.ts"
import {
  declaredSchema,
  isThrown,
  levelIn,
  onLevel,
  type PlayedMigration
} from "./PlayedSchemas.ts"

const migrationMsMax = 60

type Hop = ToMigrate["hops"][number]
type RoomHop = Extract<Hop, { readonly _tag: "Room" }>

/**
 * The processes that lead stored states of a world on. They lead any state to where they are told to, whatever level it
 * is of: the reference finds a state that took a wrong way.
 */
export class PlayedMigrators {
  /** One in so many ends before it answers; 0 = none. */
  diesOneIn = 0
  readonly #chance: Chance

  constructor(chance: Chance) {
    this.#chance = chance
  }

  of(host: Host, bundle: PlayedBundle): Migrating {
    let over = false
    return {
      isOver: () => over,
      migrate: (asked) =>
        Effect.callback((resume) => {
          host.after(1 + this.#chance.below(migrationMsMax), () => {
            over ||= this.#dies()
            resume(Effect.succeed(over ? gone : migrated(bundle, asked)))
          })
        })
    }
  }

  #dies(): boolean {
    return this.diesOneIn > 0 && this.#chance.one(this.diesOneIn)
  }
}

const gone: Migrated = { ok: false, fault: "machine", message: "it was killed", stack: "" }

const failed = (message: string): Migrated => ({ ok: false, fault: "code", message, stack: "" })

const migrated = ({ stores }: PlayedBundle, { hops, bytes }: ToMigrate): Migrated => {
  let state: PlayState = stateIn(bytes)
  for (const hop of hops) {
    if (hop._tag !== "Room") continue
    const migration = stores?.migrations.find((each) => isOf(each, hop))
    if (migration === undefined) return failed("the bundle has no such migration")
    if (!hop.back && isThrown(migration, state)) return failed("it throws")
    state = onLevel(state, levelIn(hop.to.schema))
  }
  return { ok: true, bytes: new TextEncoder().encode(JSON.stringify(state)) }
}

const isOf = ({ from, to, back }: PlayedMigration, hop: RoomHop): boolean => {
  const [older, newer] = hop.back ? [hop.to, hop.from] : [hop.from, hop.to]
  return (
    (back || !hop.back) &&
    declaredSchema(from).hash === older.hash &&
    declaredSchema(to).hash === newer.hash
  )
}
