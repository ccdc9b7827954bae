import { loadFrame } from "@atrium/runtime/host/HostOrders"

import { CodeCaches } from "./CodeCaches.ts"
import { splitBundle } from "./stacks/BundleMap.ts"

/** A bundle as room processes get it. */
export interface PreparedBundle {
  /** The flags of V8 differ by kind of room: with `--liftoff-only`, V8 refuses the cache of a process without it. */
  readonly caches: Readonly<Record<"plain" | "physics", CodeCaches>>
  loadFrame(mode: number): Uint8Array
}

const prepared = new WeakMap<Uint8Array, PreparedBundle>()

/** Prepares a bundle, once for all rooms that run it: the same array gives the same result. */
export const prepareBundle = (bundle: Uint8Array): PreparedBundle => {
  const known = prepared.get(bundle)
  if (known !== undefined) return known
  const { code } = splitBundle(bundle)
  const frames = new Map<number, Uint8Array>()
  const made: PreparedBundle = {
    caches: { plain: new CodeCaches(code), physics: new CodeCaches(code) },
    loadFrame: (mode) => {
      const frame = frames.get(mode) ?? loadFrame(mode, code)
      frames.set(mode, frame)
      return frame
    }
  }
  prepared.set(bundle, made)
  return made
}
