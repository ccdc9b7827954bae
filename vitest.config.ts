import { defineConfig } from "vitest/config"

const tests = ["packages/*/src", "examples/*", "scripts"]
const endToEnd = tests.map((folder) => `${folder}/**/*.e2e.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ["scripts/testDatabase.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: tests.map((folder) => `${folder}/**/*.test.ts`),
          exclude: endToEnd,
          maxWorkers: 2,
          sequence: { groupOrder: 0 }
        }
      },
      {
        // Each starts whole services, several of which watch the clock: one file at a time.
        extends: true,
        test: {
          name: "e2e",
          include: endToEnd,
          maxWorkers: 1,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
