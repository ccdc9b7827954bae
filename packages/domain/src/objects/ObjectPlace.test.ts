import { expect, test } from "vitest"

import { objectsUrlText, readObjectsUrl } from "./ObjectPlace.ts"

test.each([
  ["https://s3.example.com/rooms", { bucket: "rooms", prefix: "" }],
  ["https://s3.example.com/rooms/", { bucket: "rooms", prefix: "" }],
  ["http://s3.example.com/a.b-c/live/eu_1", { bucket: "a.b-c", prefix: "live/eu_1/" }],
  [`https://s3.example.com/${"b".repeat(63)}`, { bucket: "b".repeat(63), prefix: "" }]
])("[C-466] %s names a bucket and a prefix", (text, place) => {
  const read = readObjectsUrl(text)
  expect(read).toEqual({ ...place, origin: new URL(text).origin })
  expect(read && objectsUrlText(read)).toBe(text.replace(/\/$/, ""))
})

test.each([
  "",
  "rooms",
  "s3://rooms",
  "https://s3.example.com",
  "https://s3.example.com/",
  "https://s3.example.com/ab",
  `https://s3.example.com/${"b".repeat(64)}`,
  "https://s3.example.com/Rooms",
  "https://s3.example.com/rooms//a",
  "https://s3.example.com/rooms/.a",
  "https://s3.example.com/rooms/a%20b",
  "https://key:secret@s3.example.com/rooms",
  "https://s3.example.com/rooms?x=1",
  "https://s3.example.com/rooms#x"
])("[C-466] %s does not", (text) => {
  expect(readObjectsUrl(text)).toBeNull()
})
