import { Wire } from "../schema/Wire.ts"
import { LiveList } from "./LiveList.ts"
import { LiveMap } from "./LiveMap.ts"
import type { LiveNode, LiveParts } from "./LiveNode.ts"
import { LiveOptional } from "./LiveOptional.ts"
import { LiveStruct } from "./LiveStruct.ts"

const makeNode = (parts: LiveParts, stored: unknown): LiveNode => {
  switch (parts.field.wire) {
    case Wire.struct:
      return new LiveStruct(parts, stored)
    case Wire.map:
      return new LiveMap(parts, stored)
    case Wire.optional:
      return new LiveOptional(parts, stored)
    default:
      return new LiveList(parts, stored)
  }
}

/**
 * Makes the value of a field that changes where it is.
 *
 * @param stored its stored form
 */
export const makeLive = (parts: Pick<LiveParts, "field" | "holder">, stored: unknown): LiveNode =>
  makeNode({ ...parts, place: null, make: makeNode }, stored)
