import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { repository } from "@atrium/api/testing/RunningService"
import { bundleRooms } from "@atrium/sdk/bundle"
import { type AnyField, defineSchema, s, schemaHash } from "@atrium/sdk/schema"

import {
  type Change,
  type Kind,
  type Part,
  type PlannedVersion,
  type Shape,
  remainders
} from "./VersionPlan.ts"

/** Places of the calls in `rpc.client`. */
export const rpcs = { play: 0, read: 1 } as const

const fieldOf = (kind: Kind): AnyField =>
  "text" in kind ? s.string(kind.text) : s[kind.number]({ default: kind.default })

const fieldsOf = (shape: Shape): Readonly<Record<string, AnyField>> =>
  Object.fromEntries(Object.entries(shape).map(([name, kind]) => [name, fieldOf(kind)]))

const hashOf = ({ shapes }: PlannedVersion): string =>
  schemaHash(
    defineSchema({
      type: "game",
      hibernateAfterMs: 100,
      reconnectForMs: 0,
      singletons: { core: { seq: s.u32(), ...fieldsOf(shapes.core) } },
      entities: { units: { tag: s.u8(), ...fieldsOf(shapes.units) } },
      rpc: {
        client: {
          play: { args: s.untyped(), returns: s.untyped(), durable: true },
          read: { returns: s.untyped() }
        }
      }
    })
  )

const fieldSource = (kind: Kind): string =>
  "text" in kind ? `s.string(${kind.text})` : `s.${kind.number}({ default: ${kind.default} })`

const fieldSources = (shape: Shape): string =>
  Object.entries(shape)
    .map(([name, kind]) => `, ${name}: ${fieldSource(kind)}`)
    .join("")

/** The code of the value that a play sets a field of `core` to; `playedValue` of RoomReference.ts computes the same value. */
const playedSource = (kind: Kind): string => {
  if ("text" in kind) return '"s" + n'
  return kind.number === "u8" ? "(n * 31) % 200" : "(n * 31) % 60000"
}

const roomSource = ({ shapes, version }: PlannedVersion): string => `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "game",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  singletons: { core: { seq: s.u32()${fieldSources(shapes.core)} } },
  entities: { units: { tag: s.u8()${fieldSources(shapes.units)} } },
  rpc: {
    client: {
      play: { args: s.untyped(), returns: s.untyped(), durable: true },
      read: { returns: s.untyped() }
    }
  }
})

const read = (room) => ({ version: room.version, ...JSON.parse(JSON.stringify(room.state)) })

export const game = defineRoom(schema, {
  rpc: {
    play(room, client, n) {
      const { core, units } = room.state
      core.seq = n
      ${Object.entries(shapes.core)
        .map(([name, kind]) => `core.${name} = ${playedSource(kind)}`)
        .join("\n      ")}
      const ids = read(room).units.map(({ id }) => id)
      if (ids.length >= 4) units.remove(ids[0])
      units.add({ tag: n % 251 })
      return read(room)
    },
    read
  }
})

export const planned = ${version}
`

/** The code that makes a record of the next version. */
const changeSource = (change: Change): string => {
  const { name } = change
  switch (change.does) {
    case "add":
      return `(r) => ({ ...r, ${name}: ${"text" in change.kind ? '""' : change.kind.default} })`
    case "widen":
      return "(r) => r"
    case "remove":
      return `({ ${name}, ...r }) => r`
    case "rename":
      return `({ ${name}, ...r }) => ({ ...r, ${change.to}: ${name} })`
    case "toText":
      return `(r) => ({ ...r, ${name}: String(r.${name}) })`
    case "toLength":
      return `(r) => ({ ...r, ${name}: r.${name}.length })`
    case "narrow":
      return `(r) => ({ ...r, ${name}: r.${name} % 251 })`
  }
}

const migrationSource = (
  [before, version]: readonly [PlannedVersion, PlannedVersion],
  deployed: number
): string => {
  const { changes, throws } = version
  const ofPart = (part: Part) =>
    `[${changes
      .filter((change) => change.part === part)
      .map(changeSource)
      .join(", ")}]`
  const isBroken = throws !== null && deployed < throws.until
  return `
import { defineMigration } from "@atrium/sdk/migration"

const core = ${ofPart("core")}
const units = ${ofPart("units")}
const led = (record, changes) => changes.reduce((r, change) => change(r), record)

export default defineMigration({
  rooms: {
    game: {
      from: "${hashOf(before)}",
      to: "${hashOf(version)}",
      migrate: (old) => {
        ${isBroken ? `if (old.core.seq % ${remainders} === ${throws.remainder}) throw new Error("it throws")` : ""}
        return { core: led(old.core, core), units: old.units.map((unit) => led(unit, units)) }
      }
    }
  }
})
`
}

/** Makes the bundles of planned versions, each with the migrations until then. */
export const versionBundles = async (plan: ReadonlyArray<PlannedVersion>) => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-versions-"))
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"))
  await mkdir(join(folder, "migrations"))
  return {
    of: async (version: PlannedVersion): Promise<Uint8Array> => {
      await writeFile(join(folder, "room.ts"), roomSource(version))
      const files: Array<string> = []
      for (const [at, next] of plan.entries()) {
        const before = plan[at - 1]
        if (before === undefined || !next.breaking || next.version > version.version) continue
        const file = `migrations/${String(next.version).padStart(4, "0")}.ts`
        await writeFile(join(folder, file), migrationSource([before, next], version.version))
        files.push(file)
      }
      return (await bundleRooms({ entries: ["room.ts", ...files], resolveDir: folder })).bytes
    },
    remove: () => rm(folder, { recursive: true, force: true })
  }
}
