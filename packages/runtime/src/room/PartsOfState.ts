import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

type State = Readonly<Record<string, unknown>>

/** The part of a state that clients know of, and the hidden one. */
export const partsOfState = (
  { schema, stored }: { readonly schema: AnyRoomSchema; readonly stored: AnyRoomSchema },
  state: State
): { readonly state: State; readonly hidden: State } => {
  if (stored === schema) return { state, hidden: Object.freeze({}) }
  const isShown = (name: string): boolean =>
    schema.singletons.byName.has(name) || schema.collections.byName.has(name)
  const part = (shown: boolean): State =>
    Object.freeze(
      Object.fromEntries(Object.entries(state).filter(([name]) => isShown(name) === shown))
    )
  return { state: part(true), hidden: part(false) }
}
