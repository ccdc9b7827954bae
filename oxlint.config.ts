import { defineConfig } from "oxlint"
import type { OxlintConfig } from "oxlint"

type Rules = NonNullable<OxlintConfig["rules"]>

// An override replaces the whole list of no-restricted-imports. So each list below is made by
// `imports`, which repeats what holds everywhere.

interface Ban {
  readonly regex: string
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
          "^(\\.\\./)+(domain|sdk|actors|api|cli|sim|dashboard|spec-tests)/src/|(^|/)packages/",
        message: "Import another package by its name (@atrium/…), never by a path."
      },
      {
        regex: "^effect/unstable/",
        message: "That is the name of older versions: see node_modules/effect/AGENTS.md."
      },
      ...bans
    ]
  }
]

/** The arrows of the architecture: which of our packages this one must not know. */
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

const sdkArrow = packages("actors|api|cli|sim|dashboard", "sdk may import domain only.")
const actorsArrow = packages("api|cli|sim|dashboard", "actors may import domain and sdk only.")
const apiArrow = packages("cli|sim|dashboard", "api may import domain, sdk and actors only.")
const domainArrow = packages("sdk|actors|api|cli|sim|dashboard", "domain imports no other package.")

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
    // An array in an array groups arguments that belong together.
    "unicorn/no-useless-spread": "off",
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
      files: ["packages/domain/**/*.ts"],
      rules: {
        ...pure,
        "no-restricted-imports": imports(
          [domainArrow, node, effectModules(`http-api|${effectExceptHttpApi}`)],
          [effectRuntime]
        )
      }
    },
    {
      files: ["packages/domain/src/http/**/*.ts"],
      rules: {
        "no-restricted-imports": imports(
          [domainArrow, node, effectModules(effectExceptHttpApi)],
          [effectRuntime]
        )
      }
    },
    {
      files: ["packages/sdk/**/*.ts"],
      rules: { "no-restricted-imports": imports([sdkArrow, effect]) }
    },
    {
      files: ["packages/sdk/src/{schema,codec,client,room}/**/*.ts"],
      rules: { "no-restricted-imports": imports([sdkArrow, effect, node]) }
    },
    {
      files: ["packages/actors/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([actorsArrow]),
        "no-restricted-properties": ["error", mathRandom, dateNow]
      }
    },
    {
      files: ["packages/{actors,sim}/**/*Machine.ts"],
      rules: {
        ...pure,
        "no-restricted-imports": imports(
          [
            packages("sdk|api|cli|sim|dashboard", "A machine imports domain and machines only."),
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
      files: ["packages/api/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([apiArrow]),
        "no-restricted-properties": ["error", mathRandom, dateNow]
      }
    },
    {
      files: ["packages/api/src/handlers/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          apiArrow,
          {
            regex: "^(effect/sql|@effect/sql)|(^|/)(ports|store)/[^/]*Sql",
            message: "A handler translates: storage stands behind a service."
          }
        ])
      }
    },
    {
      files: ["packages/cli/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          packages("actors|api|sim|dashboard", "cli may import domain and sdk only.")
        ])
      }
    },
    {
      files: ["packages/dashboard/**/*.{ts,tsx}"],
      rules: {
        "no-restricted-imports": imports([
          packages("actors|api|cli|sim", "dashboard may import domain and sdk only."),
          node
        ])
      }
    },
    {
      files: ["packages/sim/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          // Every folder of api but `testing`: the linter's expressions know no "all but".
          packages(
            "api/[^t][^/]*|cli|dashboard",
            "sim may import domain, sdk, actors and the harness of api only."
          )
        ])
      }
    },
    {
      files: ["packages/sim/src/simulation/**/*.ts"],
      rules: {
        ...pure,
        "no-restricted-imports": imports(
          [
            packages("sdk|api|cli|dashboard", "The simulation knows machines and domain only."),
            {
              // Machine, State and Pressure end in "e"; of other modules that do, these are shells.
              regex: "^@atrium/actors/.*([^e]|Store|Gate|Restore)$",
              message: "The simulation runs machines; what surrounds them it plays itself."
            },
            node,
            effectModules(`http-api|${effectExceptHttpApi}`)
          ],
          [effectRuntime]
        )
      }
    },
    {
      files: ["packages/spec-tests/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          { regex: "^@atrium/", message: "The suite speaks HTTP, WebSocket and the CLI only." }
        ])
      }
    },
    {
      files: ["packages/spec-tests/fixtures/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          packages("domain|actors|api|cli|sim|dashboard", "A fixture imports the SDK only."),
          effect
        ])
      }
    },
    {
      files: ["examples/**/*.ts"],
      rules: {
        "no-restricted-imports": imports([
          packages("domain|actors|api|cli|sim|dashboard", "A game imports the SDK only."),
          effect
        ])
      }
    },
    {
      files: ["**/*.test.ts", "**/testing/**/*.ts"],
      rules: {
        "max-lines-per-function": "off",
        "no-restricted-globals": "off",
        "no-restricted-properties": ["error", mathRandom],
        "typescript/no-non-null-assertion": "off"
      }
    },
    {
      // Tests may use Node wherever their subject may not; the arrows hold for them as well.
      files: ["packages/domain/**/*.test.ts", "packages/domain/**/testing/**/*.ts"],
      rules: { "no-restricted-imports": imports([domainArrow]) }
    },
    {
      files: ["packages/sdk/**/*.test.ts", "packages/sdk/**/testing/**/*.ts"],
      rules: { "no-restricted-imports": imports([sdkArrow]) }
    },
    {
      files: ["packages/actors/**/*Machine.test.ts"],
      rules: { "no-restricted-imports": imports([actorsArrow]) }
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
