import { defineConfig } from "oxlint"
import type { OxlintConfig } from "oxlint"

type Rules = NonNullable<OxlintConfig["rules"]>

// Which package may import which is the table of scripts/layers.test.ts. An override replaces the whole
// list of no-restricted-imports. So each list below is made by `imports`, which repeats what holds
// everywhere.

interface Ban {
  readonly regex?: string
  /** Patterns as of .gitignore, in place of `regex`. */
  readonly group?: Array<string>
  readonly message: string
}

const imports = (
  bans: ReadonlyArray<Ban>,
  paths: Array<{ name: string; importNames: Array<string>; message: string }> = []
): NonNullable<Rules["no-restricted-imports"]> => [
  "error",
  {
    paths,
    patterns: [
      {
        regex:
          "^(\\.\\./)+(actors|api|bench|cli|domain|postgres|runtime|sdk|sim|spec-tests|torture|voice|wire)/src/|(^|/)packages/",
        message: "Import another package by its name (@atrium/…), never by a path."
      },
      {
        regex: "^effect/unstable/",
        message: "That is the name of older versions: see node_modules/effect/AGENTS.md."
      },
      {
        regex: "^@effect/platform-node$",
        message:
          "It loads Redis, Undici and more: import the module, as in @effect/platform-node/NodeServices."
      },
      ...bans
    ]
  }
]

const packages = (names: string, message: string): Ban => ({
  regex: `^@atrium/(${names})(/|$)`,
  message
})
const node: Ban = {
  regex: "^node:",
  message: "This is pure, or runs in browsers and in a room's sandbox: there is no Node."
}
const effect: Ban = {
  regex: "^(effect|@effect)(/|$)",
  message: "Game developers install the SDK: it brings no effect."
}
const effectModules = (names: string): Ban => ({
  // Of `effect/net` its addresses and networks are data.
  regex: `^(effect/(${names})(/|$)|effect/net(/(AddressResolver|Dns|Host))?$|@effect/)`,
  message: "Pure code takes data types from effect, and nothing that runs."
})
const effectExceptHttpApi =
  "ai|cli|cluster|crypto|devtools|encoding|eventlog|graphql|http|observability|persistence|process|reactivity|rpc|schema|socket|sql|testing|workers|workflow"
const effectRuntime = {
  name: "effect",
  importNames: [
    "Clock",
    "Console",
    "Effect",
    "Fiber",
    "Layer",
    "ManagedRuntime",
    "Queue",
    "Random"
  ].concat(["PubSub", "Ref", "Runtime", "Schedule", "Scope"]),
  message: "Time, chance and IO come in through arguments and events."
}

const mathRandom = {
  object: "Math",
  property: "random",
  message: "Chance comes in through arguments, events or Effect's Random."
}
const dateNow = {
  object: "Date",
  property: "now",
  message: "Read Effect's Clock: tests and simulations move it."
}

const pure: Rules = {
  "no-restricted-globals": [
    "error",
    ...["Buffer", "Date", "crypto", "fetch", "performance", "process", "queueMicrotask"]
      .concat(["setImmediate", "setInterval", "setTimeout"])
      .map((name) => ({
        name,
        message: "Time, chance and IO come in through arguments and events."
      }))
  ]
}

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "vitest"],
  categories: { correctness: "error" },
  ignorePatterns: ["node_modules", ".atrium", "coverage"],
  rules: {
    eqeqeq: "error",
    "no-console": "error",
    "no-var": "error",
    "prefer-const": "error",
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
    "max-params": ["error", { max: 3 }],
    "no-restricted-imports": imports([]),
    "no-restricted-properties": ["error", mathRandom],
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "typescript/consistent-type-imports": ["error", { prefer: "type-imports" }],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "unicorn/no-useless-spread": "error",
    // These want every test in one shape; properties, tables and stories have others.
    "vitest/expect-expect": "off",
    "vitest/no-conditional-expect": "off",
    "vitest/require-mock-type-parameters": "off",
    "vitest/require-to-throw-message": "off",
    // What ends a story may be part of its proof.
    "vitest/no-standalone-expect": [
      "error",
      { additionalTestBlockFunctions: ["it.effect", "it.effect.each", "law", "afterAll"] }
    ],
    // The second argument is the message of a failure.
    "vitest/valid-expect": ["error", { maxArgs: 2 }]
  },
  overrides: [
    {
      files: ["packages/wire/**/*.ts"],
      rules: { "no-restricted-imports": imports([node, effect]) }
    },
    {
      files: ["packages/domain/**/*.ts"],
      rules: {
        ...pure,
        "no-restricted-imports": imports(
          [node, effectModules(effectExceptHttpApi)],
          [effectRuntime]
        )
      }
    },
    {
      files: ["packages/sdk/**/*.ts"],
      rules: { "no-restricted-imports": imports([effect]) }
    },
    {
      files: ["packages/sdk/src/client/**/*.ts", "packages/runtime/**/*.ts"],
      rules: { "no-restricted-imports": imports([effect, node]) }
    },
    {
      // It runs before Node's modules are taken away.
      files: ["packages/runtime/src/boot/*.ts"],
      rules: { "no-restricted-imports": imports([effect]) }
    },
    {
      files: ["packages/{actors,api,postgres}/**/*.ts"],
      rules: { "no-restricted-properties": ["error", mathRandom, dateNow] }
    },
    {
      files: [
        "packages/actors/**/*Machine.ts",
        // The parts of the relay machine.
        "packages/actors/**/Relay{Ownership,Refusal,Sessions,State,Tables}.ts"
      ],
      rules: {
        ...pure,
        "no-restricted-imports": imports(
          [
            packages("actors|api|runtime|sdk", "A machine imports domain and wire only."),
            node,
            effectModules(`http-api|${effectExceptHttpApi}`),
            { regex: "(Entity|Store|Protocol)\\.ts$", message: "A machine knows no shell." }
          ],
          [effectRuntime]
        )
      }
    },
    {
      files: ["packages/sdk/**/*Machine.ts"],
      rules: pure
    },
    {
      files: ["packages/api/src/*/[a-z]*.ts"],
      rules: {
        "no-restricted-imports": imports([
          {
            regex: "^(effect/sql|@effect/sql)",
            message: "A handler translates: storage stands behind a service."
          }
        ])
      }
    },
    {
      // Time, chance and threads come from the seed.
      files: ["packages/torture/src/world/**/*.ts"],
      rules: {
        ...pure,
        "no-restricted-imports": imports([
          packages("runtime|sdk", "The simulation runs the actors."),
          node
        ])
      }
    },
    {
      files: ["packages/torture/src/world/**/*.test.ts"],
      rules: { "no-restricted-imports": imports([]) }
    },
    {
      files: ["packages/sim/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          {
            group: [
              "@atrium/actors/**",
              "!@atrium/actors/**/*Machine",
              // What RoomMachine is asked and answers, and the rule by which a room gets its server.
              "!@atrium/actors/rooms/RoomState",
              "!@atrium/actors/servers/ServerIndex",
              "!@atrium/actors/servers/ServerPlacing"
            ],
            message: "Of actors, sim runs machines and the pure rules beside them only."
          }
        ]),
        "no-restricted-properties": ["error", mathRandom, dateNow]
      }
    },
    {
      files: ["packages/spec-tests/fixtures/**/*.ts", "examples/**/*.ts"],
      rules: { "no-restricted-imports": imports([effect]) }
    },
    {
      // Tests may use Node wherever their subject may not.
      files: ["**/*.{test,contract}.ts", "**/testing/**/*.ts"],
      rules: {
        "max-lines-per-function": "off",
        "no-restricted-globals": "off",
        "no-restricted-imports": imports([]),
        "no-restricted-properties": ["error", mathRandom],
        "typescript/no-non-null-assertion": "off"
      }
    },
    {
      files: ["scripts/**"],
      rules: { "no-console": "off", "no-restricted-imports": "off" }
    },
    {
      files: ["*.config.ts"],
      rules: { "import/no-default-export": "off" }
    }
  ]
})
