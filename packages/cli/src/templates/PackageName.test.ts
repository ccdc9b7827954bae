import { expect, it } from "vitest"

import { packageNameOf } from "./PackageName.ts"

it.each([
  ["game", "game"],
  ["My Game!", "my-game"],
  ["Spiel für Zwölf", "spiel-fur-zwolf"],
  [".hidden_", "hidden"],
  ["游戏", "game"],
  ["node_modules", "node_modules-game"],
  ["esbuild", "esbuild-game"],
  ["a".repeat(300), "a".repeat(214)]
])("[C-381] makes a name that npm takes of the folder's: %j", (name, packageName) => {
  expect(packageNameOf(name, ["esbuild"])).toBe(packageName)
})
