import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, test } from "vitest"

import { RoomList } from "./RoomList.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const of = { projectId, declared: new Map([["arena", "10m"]]) }
const line = (roomId: string, override = "", type = "arena"): string =>
  [
    `"roomId":"${roomId}","status":"hibernated","slot":3`,
    "1000",
    '"clients":0,"maxClients":64,"backfill":false',
    override,
    type
  ].join("\t")

const rowsOf = (lines: string): ReadonlyArray<Record<string, unknown>> => {
  const list = new RoomList(lines, of)
  return JSON.parse(`[${[...list.pages()].map((page) => list.json(page)).join(",")}]`)
}

test("[rooms.row.retention] a type's window, an override, forever, a type that is gone", () => {
  const lines = [line("a"), line("b", "1h"), line("c", "forever"), line("d", "", "chess")]
  const told = rowsOf(lines.join("\n")).map((row) => [
    row["roomId"],
    row["retention"],
    row["retentionOverride"],
    row["deletesAt"]
  ])
  expect(told).toEqual([
    ["a", "10m", null, "1970-01-01T00:10:01.000Z"],
    ["b", "1h", "1h", "1970-01-01T01:00:01.000Z"],
    ["c", null, "forever", null],
    ["d", null, null, null]
  ])
})

test.each([0, 1, 499, 500, 501, 1000, 1001])(
  "[D-04] %i rooms come whole, in their order",
  (rooms) => {
    const ids = Array.from({ length: rooms }, (_, index) => `r${index}`)
    const lines = ids.map((id) => line(id)).join("\n")
    expect(rowsOf(lines).map((row) => row["roomId"])).toEqual(ids)
    const pages = [...new RoomList(lines, of).pages()]
    expect(pages).toHaveLength(Math.ceil(rooms / RoomLimits.listPage.max))
  }
)
