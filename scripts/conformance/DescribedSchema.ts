import { type AnyField, defineSchema, s } from "@atrium/sdk/schema"

/** What the suite asks the schema library for: docs/conformance-adapter.md. */
interface Description {
  readonly entityFields?: number
  readonly singletonFields?: number
  readonly messages?: number
  readonly clientRpcs?: number
  readonly serverRpcs?: number
  /** Bytes that the persisted fields of one player can take at most. */
  readonly playerBytes?: number
  readonly replaySeconds?: number
  readonly replayTtl?: string
}

/** Builds a schema: `null`, or why the library refused it. */
export const schemaRefusal = (description: unknown): string | null => {
  // Only the suite asks.
  const { entityFields = 1, singletonFields = 1, ...counts } = description as Description
  const { replaySeconds: seconds, replayTtl: ttl } = counts
  try {
    defineSchema({
      type: "described",
      entities: { things: numbered(entityFields, flag) },
      singletons: { one: numbered(singletonFields, flag) },
      messages: numbered(counts.messages ?? 0, () => s.untyped()),
      rpc: {
        client: numbered(counts.clientRpcs ?? 0, () => ({})),
        server: numbered(counts.serverRpcs ?? 0, () => ({}))
      },
      player: playerOf(counts.playerBytes ?? 0),
      ...(seconds === undefined && ttl === undefined
        ? {}
        : {
            replay: {
              ...(seconds === undefined ? {} : { seconds }),
              ...(ttl === undefined ? {} : { ttl })
            }
          })
    })
    return null
  } catch (cause) {
    return String(cause instanceof Error ? cause.message : cause)
  }
}

const flag = (): AnyField => s.bool()

const numbered = <A>(count: number, make: () => A): Readonly<Record<string, A>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, make()]))

// A player is stored as a msgpack map: 1 byte, 3 for the name `n0`, 3 for the length of the text.
const storedBesides = 7

const playerOf = (bytes: number): Readonly<Record<string, AnyField>> =>
  bytes === 0 ? {} : { n0: s.string(bytes - storedBesides) }
