import type { AnyRoomSchema, StateShape } from "../../schema/RoomSchema.ts"
import type { Asks, ReadableState, ShapeRules } from "../ViewRule.ts"

type Plain = Record<string, unknown>

/**
 * The state that one viewer sees, made anew of everything: what the views must be equal to.
 *
 * @param viewer `null` = nobody in particular, for whom every rule says no
 */
export const referenceView = <V>(
  room: ReadableState,
  viewer: V | null,
  {
    shown,
    rules
  }: {
    readonly shown: AnyRoomSchema
    readonly rules: ReadonlyMap<string, ShapeRules<V>>
  }
): Plain => {
  const allows = (asks: Asks<V> | null | undefined, record: object): boolean => {
    if (asks === null || asks === undefined) return true
    if (viewer === null) return false
    try {
      return asks(viewer, record, room) === true
    } catch {
      return false
    }
  }
  const shownOf = (shape: StateShape, record: object, isSeen: boolean): Plain => {
    const own = rules.get(shape.name)
    const plain: Plain = {}
    if (shown.collections.byName.has(shape.name)) plain["id"] = Reflect.get(record, "id")
    for (const { name, field } of shape.fields) {
      const sees = isSeen && allows(own?.fields.get(name), record)
      plain[name] = sees ? Reflect.get(record, name) : field.default
    }
    return plain
  }
  const seesRecord = (shape: StateShape, record: object): boolean =>
    allows(rules.get(shape.name)?.record, record)
  return Object.fromEntries([
    ...shown.singletons.list.map((shape) => {
      const record = Object(room.state[shape.name])
      return [shape.name, shownOf(shape, record, seesRecord(shape, record))]
    }),
    ...shown.collections.list.map((shape) => {
      // Every collection of the state is iterable.
      const records = [...(room.state[shape.name] as Iterable<object>)]
      const seen = records.filter((record) => seesRecord(shape, record))
      return [shape.name, seen.map((record) => shownOf(shape, record, true))]
    })
  ])
}
