import { loadFrame } from "@atrium/sdk/room/HostOrders"

import { StackMapper } from "./StackMapper.ts"

/** A bundle as room processes get it. */
export interface PreparedBundle {
  readonly mapper: StackMapper
  loadFrame(mode: number): Uint8Array
}

const prepared = new WeakMap<Uint8Array, PreparedBundle>()

/** Prepares a bundle, once for all rooms that run it: the same array gives the same result. */
export const prepareBundle = (bundle: Uint8Array): PreparedBundle => {
  const known = prepared.get(bundle)
  if (known !== undefined) return known
  const mapper = new StackMapper(bundle)
  const frames = new Map<number, Uint8Array>()
  const made: PreparedBundle = {
    mapper,
    loadFrame: (mode) => {
      const frame = frames.get(mode) ?? loadFrame(mode, mapper.code)
      frames.set(mode, frame)
      return frame
    }
  }
  prepared.set(bundle, made)
  return made
}
