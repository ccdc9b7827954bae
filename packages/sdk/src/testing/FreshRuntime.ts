import { isRoomDefinition } from "@atrium/runtime/room/DefineRoom"
import type { connect } from "@atrium/runtime/room/Runtime"

/** What a bundle of room code exports. */
interface Bundled {
  readonly connect: typeof connect
  readonly rooms: Readonly<Record<string, unknown>>
}

/**
 * Bundles the module of a room as a deploy does. Each call of the answer runs the bundle from its first line, as a process of
 * the service does: nothing of an earlier run is left in it.
 *
 * Rejects with `BundleError`, or an `Error` for a module that exports no room of this type.
 */
export const freshRuntime = async (module: URL, type: string): Promise<() => Bundled> => {
  // Loaded here, so that a harness that bundles nothing works without a bundler and without Node.
  const { basename, dirname } = await import("node:path")
  const { fileURLToPath } = await import("node:url")
  const { bundleRooms, withBundler } = await import("../bundle/Bundle.ts")
  const path = fileURLToPath(module)
  const options = { entries: [basename(path)], resolveDir: dirname(path) }
  const { bytes } = await withBundler(() => bundleRooms(options))
  const script = new TextDecoder().decode(bytes)
  const run = (): Bundled => {
    const bundle = { exports: {} }
    new Function("module", "exports", script)(bundle, bundle.exports)
    // The bundler has written these two exports.
    return bundle.exports as Bundled
  }
  const found = Object.values(run().rooms).some(
    (value) => isRoomDefinition(value) && value.schema.type === type
  )
  if (!found) throw new Error(`${path}: exports no room of the type ${type}`)
  return run
}
