import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { Bytes, Moment, Share, Span, TimeOfDay } from "./Units.ts"

const day = 86_400_000

/** A text, and its quantity; `null` = refused. */
type Row = readonly [written: unknown, quantity: number | null]

const units: ReadonlyArray<
  readonly [name: string, of: Schema.Codec<unknown, unknown>, ReadonlyArray<Row>]
> = [
  [
    "Bytes",
    Bytes,
    [
      [0, 0],
      ["0B", 0],
      ["420B", 420],
      [420, 420],
      ["1KB", 1024],
      ["1KiB", 1024],
      ["64KB", 65_536],
      ["1.5GB", 1_610_612_736],
      ["8TB", 8 * 1024 ** 4],
      ["8191TB", 8191 * 1024 ** 4],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      ["8192TB", null],
      [Number.MAX_SAFE_INTEGER + 1, null],
      ["0.3KB", null],
      [1.5, null],
      [-1, null],
      [Number.NaN, null],
      ["420", null],
      ["64kb", null],
      ["64 KB", null],
      ["64PB", null],
      ["", null],
      [null, null]
    ]
  ],
  [
    "Span",
    Span,
    [
      ["0s", 0],
      ["0ms", 0],
      ["1ms", 1],
      ["30s", 30_000],
      ["1m", 60_000],
      ["36h", 36 * 3_600_000],
      ["3650d", 3650 * day],
      ["315360000s", 3650 * day],
      ["3651d", null],
      ["315360001s", null],
      ["315360000001ms", null],
      ["1.5h", null],
      ["30", null],
      [30, null],
      ["-1s", null],
      ["01s", null],
      ["0m", null],
      ["1h30m", null]
    ]
  ],
  [
    "Share",
    Share,
    [
      [0, 0],
      [1, 1],
      [0.85, 0.85],
      ["0%", 0],
      ["1%", 0.01],
      ["12.5%", 0.125],
      ["100%", 1],
      ["100.1%", null],
      [1.01, null],
      [-0.01, null],
      ["30", null],
      ["30 %", null]
    ]
  ],
  [
    "TimeOfDay",
    TimeOfDay,
    [
      ["00:00", 0],
      ["20:30", 1230],
      ["23:59", 1439],
      ["24:00", null],
      ["20:60", null],
      ["8:30", null],
      [1230, null]
    ]
  ]
]

describe.each(units)("%s", (_name, unit, rows) => {
  test.each(rows)("[C-260] reads %j as %j", (written, quantity) => {
    const read = Schema.decodeUnknownOption(unit)(written)
    expect(read).toMatchObject(
      quantity === null ? { _tag: "None" } : { _tag: "Some", value: quantity }
    )
  })
})

test.each([
  ["sat 18:00", { day: "sat", minuteOfDay: 1080 }],
  ["mon", { day: "mon", minuteOfDay: 0 }],
  ["day 1", { day: 1, minuteOfDay: 0 }],
  ["day 31 23:59", { day: 31, minuteOfDay: 1439 }],
  ["day 0", null],
  ["day 32", null],
  ["day 12 24:00", null],
  ["sat 18", null],
  ["Sat 18:00", null],
  ["12", null]
])("[C-261] reads the moment %j as %j", (written, moment) => {
  const read = Schema.decodeUnknownOption(Moment)(written)
  expect(read).toMatchObject(moment === null ? { _tag: "None" } : { _tag: "Some", value: moment })
})

test("[T-KB] prints each quantity so that it reads as the same", () => {
  const same = (unit: Schema.Codec<unknown, unknown>, quantity: number): void => {
    const printed = Schema.encodeUnknownSync(unit)(quantity)
    expect(Schema.decodeUnknownSync(unit)(printed)).toBe(quantity)
  }
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 3650 * day }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (bytes, ms, share) => {
        same(Bytes, bytes)
        same(Bytes, Math.floor(bytes / 1024) * 1024)
        same(Span, ms)
        same(Span, Math.floor(ms / 1000) * 1000)
        same(Share, share)
        same(Share, Math.round(share * 100) / 100)
        same(TimeOfDay, Math.round(share * 1439))
      }
    )
  )
})
