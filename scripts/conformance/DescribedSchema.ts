import { physics } from "@atrium/sdk/physics"
import { type AnyField, defineSchema, s } from "@atrium/sdk/schema"
import RAPIER from "@dimforge/rapier3d-deterministic-compat"

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
  readonly physicsHistory?: number
  readonly physicsChannels?: number
}

/** Builds a schema: `null`, or why the library refused it. */
export const schemaRefusal = (description: unknown): string | null => {
  // Only the suite asks.
  const { entityFields = 1, singletonFields = 1, ...counts } = description as Description
  const { replaySeconds: seconds, replayTtl: ttl } = counts
  try {
    definePhysics(counts)
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

/** A schema with a physics world, where the suite asks for one. Throws what the library throws. */
const definePhysics = ({ physicsHistory: history, physicsChannels }: Description): void => {
  if (history === undefined && physicsChannels === undefined) return
  const values = numbered(physicsChannels ?? 0, () => s.f32())
  const schema = defineSchema({
    type: "described",
    tickHz: 20,
    physics: { dimensions: 3, ...(history === undefined ? {} : { history }) },
    entities: { bodies: { x: s.f32(), y: s.f32(), z: s.f32(), ...values } }
  })
  physics(RAPIER, schema, {
    gravity: { x: 0, y: 0, z: 0 },
    bodies: {
      bodies: {
        body: () => RAPIER.RigidBodyDesc.dynamic(),
        colliders: () => [],
        // The names of the fields are made above.
        channels: Object.keys(values).map((name) => name as never)
      }
    }
  })
}

const flag = (): AnyField => s.bool()

const numbered = <A>(count: number, make: () => A): Readonly<Record<string, A>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, make()]))

// A player is stored as a msgpack map: 1 byte, 3 for the name `n0`, 3 for the length of the text.
const storedBesides = 7

const playerOf = (bytes: number): Readonly<Record<string, AnyField>> =>
  bytes === 0 ? {} : { n0: s.string(bytes - storedBesides) }
