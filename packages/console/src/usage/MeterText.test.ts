import { describe, expect, it } from "vitest"

import { amountText, typedAmount, typedText } from "./MeterText.ts"

describe("an amount of a meter", () => {
  it("[C-800] has the unit of its meter, and bytes as people read them", () => {
    expect(amountText("roomHours", 12.3456)).toBe("12.35 h")
    expect(amountText("voiceMinutes", 1000)).toBe("1,000 min")
    expect(amountText("dataOutBytes", 2 ** 31)).toBe("2 GiB")
  })

  it.each([
    ["roomHours", "100", 100],
    ["roomHours", "1.5", 1.5],
    ["storageBytes", "1", 2 ** 30],
    ["dataOutBytes", "0,5", 2 ** 29],
    ["roomHours", " ", null],
    ["roomHours", "many", null]
  ] as const)("[C-800] a ceiling of %s that is typed %j is %j", (meter, text, amount) => {
    expect(typedAmount(meter, text)).toBe(amount)
    if (amount !== null && text !== "0,5") expect(typedText(meter, amount)).toBe(text)
  })

  it.each([1, 536_870_911, 2 ** 40 + 1])(
    "[C-800] a ceiling of %i bytes stays the same when it is shown and set again",
    (bytes) => {
      expect(typedAmount("storageBytes", typedText("storageBytes", bytes))).toBe(bytes)
    }
  )
})
