import { expect } from "vitest"

import { defineSchema, FieldError, type Fields } from "../../schema.ts"
import { makeRoomState } from "../RoomState.ts"
import { makeStateView } from "../StateView.ts"

/** A room with one record of these fields, and the state of a client. */
export const pairOf = <F extends Fields>(fields: F) => {
  const schema = defineSchema({ type: "t", singletons: { one: fields } })
  const room = makeRoomState(schema)
  const view = makeStateView(schema)
  /** The bytes after the section and the mask. */
  const flush = (): ReadonlyArray<number> | null => {
    const delta = room.encodeDelta()
    if (delta === null) return null
    view.applyDelta(delta)
    expect(view.encodeFull()).toEqual(room.encodeFull())
    expect(delta[0]).toBe(0)
    return [...delta].slice(2)
  }
  return { one: room.state.one, seen: view.state.one, flush, room }
}

/** The text of the first error. */
export const messageOf = (work: () => void): string => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(FieldError)
    return error instanceof Error ? error.message : ""
  }
  throw new Error("nothing was thrown")
}
