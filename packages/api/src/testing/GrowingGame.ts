import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { defineSchema, type Fields, s } from "@atrium/sdk/schema"

/** A field that some version brings: as a schema has it, as somebody types it, and what it holds. */
interface NewField {
  readonly name: string
  readonly field: Fields[string]
  readonly source: string
  /** What a room of that version or a later one writes, as source and as the client reads it. */
  readonly wrote: string
  readonly value: unknown
  readonly fallback: unknown
}

const field = (
  [name, made, source]: readonly [string, Fields[string], string],
  value: { readonly wrote: string; readonly value?: unknown; readonly fallback: unknown }
): NewField => ({
  name,
  field: made,
  source,
  wrote: value.wrote,
  fallback: value.fallback,
  value: "value" in value ? value.value : JSON.parse(value.wrote)
})

/** Every kind, in the order in which the versions from 2 on bring them; then around again. */
const kinds: ReadonlyArray<NewField> = [
  field(["bool", s.bool({ default: true }), "s.bool({ default: true })"], {
    wrote: "false",
    fallback: true
  }),
  field(["u8", s.u8({ default: 7 }), "s.u8({ default: 7 })"], { wrote: "255", fallback: 7 }),
  field(["i8", s.i8(), "s.i8()"], { wrote: "-128", fallback: 0 }),
  field(["u16", s.u16({ default: 300 }), "s.u16({ default: 300 })"], {
    wrote: "65535",
    fallback: 300
  }),
  field(["i16", s.i16({ default: -2 }), "s.i16({ default: -2 })"], {
    wrote: "-32768",
    fallback: -2
  }),
  field(["u32", s.u32(), "s.u32()"], { wrote: "4294967295", fallback: 0 }),
  field(["i32", s.i32({ default: -9 }), "s.i32({ default: -9 })"], {
    wrote: "-2147483648",
    fallback: -9
  }),
  field(["f32", s.f32({ default: 0.5 }), "s.f32({ default: 0.5 })"], {
    wrote: "-1.25",
    fallback: 0.5
  }),
  field(["f64", s.f64(), "s.f64()"], { wrote: "0.1", fallback: 0 }),
  field(
    [
      "far",
      s.quantised({ min: 0, max: 10, step: 0.1, default: 2.5 }),
      "s.quantised({ min: 0, max: 10, step: 0.1, default: 2.5 })"
    ],
    { wrote: "9.9", fallback: 2.5 }
  ),
  field(["text", s.string(40, { default: "?" }), 's.string(40, { default: "?" })'], {
    wrote: '"Zoë 😀"',
    fallback: "?"
  }),
  field(
    ["raw", s.bytes(4, { default: Uint8Array.of(9) }), "s.bytes(4, { default: Uint8Array.of(9) })"],
    { wrote: "Uint8Array.of(0, 255)", value: { 0: 0, 1: 255 }, fallback: { 0: 9 } }
  ),
  field(["team", s.enum("red", "blue"), 's.enum("red", "blue")'], {
    wrote: '"blue"',
    fallback: "red"
  }),
  field(["next", s.ref("units"), 's.ref("units")'], { wrote: "1", fallback: 0 }),
  field(["path", s.list(s.u16(), 4, { default: [5] }), "s.list(s.u16(), 4, { default: [5] })"], {
    wrote: "[1,65535]",
    fallback: [5]
  }),
  field(["names", s.list(s.string(8), 3), "s.list(s.string(8), 3)"], {
    wrote: '["","ä"]',
    fallback: []
  })
]

/** The version that brings a field: 2 and on. */
const versionOf = (index: number): number => index + 2
const until = (version: number): ReadonlyArray<NewField> =>
  Array.from({ length: Math.max(0, version - 1) }, (_, index) => {
    const kind = kinds[index % kinds.length]
    if (kind === undefined) throw new Error("no kind")
    return { ...kind, name: `${kind.name}${versionOf(index)}` }
  })

/** New fields stand now before and now behind the ones that are there. */
const ordered = <T>(base: ReadonlyArray<T>, added: ReadonlyArray<T>): ReadonlyArray<T> => [
  ...added.filter((_, index) => index % 2 === 1).toReversed(),
  ...base,
  ...added.filter((_, index) => index % 2 === 0)
]

type Entry<T> = readonly [string, T]
const everyThird = (version: number, rest: number): ReadonlyArray<NewField> =>
  until(version).filter((_, index) => index % 3 === rest)

/** The shapes of one version, of any kind of leaf: fields for a schema, texts for its source. */
const shapesOf = <T>(
  version: number,
  {
    leaf,
    u32,
    label
  }: { readonly leaf: (field: NewField) => T; readonly u32: T; readonly label: T }
) => {
  const entries = (fields: ReadonlyArray<NewField>): ReadonlyArray<Entry<T>> =>
    fields.map((each) => [each.name, leaf(each)])
  const own = (rest: number, prefix: string): ReadonlyArray<Entry<ReadonlyArray<Entry<T>>>> =>
    everyThird(version, rest).map((each) => [`${prefix}${each.name}`, entries([each])])
  return {
    singletons: ordered<Entry<ReadonlyArray<Entry<T>>>>(
      [["kit", ordered([["made", u32]], entries(until(version)))]],
      own(0, "one_")
    ),
    entities: ordered<Entry<ReadonlyArray<Entry<T>>>>(
      [["units", ordered([["label", label]], entries(until(version)))]],
      own(1, "many_")
    ),
    messages: own(2, "say_"),
    player: ordered<Entry<T>>(
      [["wins", u32]],
      everyThird(version, 1).map((each) => [each.name, u32])
    )
  }
}

/** The schema of a version, as its clients have it. */
export const growingSchema = (version: number) => {
  const shapes = shapesOf<Fields[string]>(version, {
    leaf: (each) => each.field,
    u32: s.u32({ default: 4 }),
    label: s.string(16)
  })
  const deep = (entries: ReadonlyArray<Entry<ReadonlyArray<Entry<Fields[string]>>>>) =>
    Object.fromEntries(entries.map(([name, fields]) => [name, Object.fromEntries(fields)]))
  return defineSchema({
    type: "growing",
    hibernateAfterMs: 100,
    reconnectForMs: 0,
    singletons: deep(shapes.singletons),
    entities: deep(shapes.entities),
    messages: deep(shapes.messages),
    rpc: {
      client: {
        ...Object.fromEntries(everyThird(version, 2).map(({ name }) => [`do_${name}`, {}])),
        win: { returns: s.untyped(), durable: true }
      }
    },
    player: Object.fromEntries(shapes.player)
  })
}

/** The room code of a version, as its developer writes it. */
const sourceOf = (version: number): string => {
  const shapes = shapesOf<string>(version, {
    leaf: (each) => each.source,
    u32: "s.u32({ default: 4 })",
    label: "s.string(16)"
  })
  const flat = (entries: ReadonlyArray<Entry<string>>): string =>
    `{ ${entries.map(([name, text]) => `${name}: ${text}`).join(", ")} }`
  const deep = (entries: ReadonlyArray<Entry<ReadonlyArray<Entry<string>>>>): string =>
    flat(entries.map(([name, fields]) => [name, flat(fields)]))
  const values = flat(until(version).map(({ name, wrote }) => [name, wrote]))
  const calls = everyThird(version, 2).map(({ name }) => `do_${name}`)
  return `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "growing",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  singletons: ${deep(shapes.singletons)},
  entities: ${deep(shapes.entities)},
  messages: ${deep(shapes.messages)},
  rpc: { client: {
    ${calls.map((name) => `${name}: {},`).join(" ")}
    win: { returns: s.untyped(), durable: true }
  } },
  player: ${flat(shapes.player)}
})

export const room = defineRoom(schema, {
  onCreate(room) {
    const gone = room.state.units.add({ label: "gone" })
    room.state.units.add({ label: "unit of ${version}", ...${values} })
    room.state.units.remove(gone.id)
    Object.assign(room.state.kit, { made: ${version}, ...${values} })
    for (const [name, part] of Object.entries(${values})) {
      if (room.state["one_" + name]) room.state["one_" + name][name] = part
      if (room.state["many_" + name]) room.state["many_" + name].add({ [name]: part })
    }
  },
  rpc: {
    ${calls.map((name) => `${name}() {},`).join(" ")}
    win(room, client) {
      client.player.wins += ${version}
      return { version: room.version, ...client.player }
    }
  }
})
`
}

/** What the newest version reads of a room that an older one made. */
export const growingState = (made: number, read: number): unknown => {
  const held = new Set(until(made).map(({ name }) => name))
  const valueOf = (each: NewField): unknown => (held.has(each.name) ? each.value : each.fallback)
  const all = Object.fromEntries(until(read).map((each) => [each.name, valueOf(each)]))
  return {
    kit: { made, ...all },
    units: [{ id: 2, label: `unit of ${made}`, ...all }],
    ...Object.fromEntries(
      everyThird(read, 0).map((each) => [`one_${each.name}`, { [each.name]: valueOf(each) }])
    ),
    ...Object.fromEntries(
      everyThird(read, 1).map((each) => [
        `many_${each.name}`,
        held.has(each.name) ? [{ id: 1, [each.name]: each.value }] : []
      ])
    )
  }
}

/** A player's fields after one win under one version and one under another. */
export const growingPlayer = (first: number, second: number): object => ({
  ...Object.fromEntries(everyThird(second, 1).map(({ name }) => [name, 4])),
  wins: 4 + first + second
})

/** A folder in which the versions are written as files, each a room file to deploy. */
export const growingFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-growing-"))
  const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url))
  await symlink(modules, join(folder, "node_modules"))
  return {
    folder,
    write: async (version: number): Promise<string> => {
      const name = `version${version}.ts`
      await writeFile(join(folder, name), sourceOf(version))
      return name
    },
    remove: () => rm(folder, { recursive: true, force: true })
  }
}
