import { expect, test } from "vitest"

import { sizeText } from "./Sizes.ts"

test.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KiB"],
  [1024 ** 2 - 1, "1024.0 KiB"],
  [1.25 * 1024 ** 2, "1.3 MiB"],
  [1024 ** 3, "1.0 GiB"],
  [5000 * 1024 ** 3, "5000.0 GiB"]
])("[C-469] a size of %i bytes is %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
