import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/*/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["scripts/testDatabase.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000
  }
})
