import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

import {
  nameOfProject,
  projectOfDeploy,
  projectOfDev,
  projectOfOthers,
  readDeclared,
  readProjectFile,
  readProjectKey,
  readStatic,
  unknownKeysOf,
  withProject
} from "./ProjectFile.ts"

const id = "p_0123456789abcdef"

const problemOf = (text: string): string | null => {
  const read = readProjectFile(text)
  return Result.isFailure(read) ? read.failure : null
}

describe("readDeclared", () => {
  it.each<[string, object]>([
    ["", {}],
    ["{}", {}],
    ['{"audienceRole":"viewer","name":5,"orgins":[]}', { audienceRole: "viewer" }],
    ['{"audienceRole":null}', { audienceRole: null }]
  ])("[file.audienceRole.type] [file.audienceRole.omitted] takes %s", (text, declared) => {
    expect(readDeclared(text)).toEqual(Result.succeed(declared))
  })

  it.each(['""', "5", "[]", "{}", "true", '"a b"', `"${"x".repeat(33)}"`])(
    "[file.validate.audienceRole] refuses %s by name",
    (value) => {
      expect(readDeclared(`{"audienceRole":${value}}`)).toEqual(
        Result.fail("field audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null")
      )
    }
  )

  const refused: ReadonlyArray<readonly [id: string, value: string, fault: string]> = [
    [
      "file.validate.queues",
      '"queues":{"odd":{"size":1}}',
      "queues.odd.size: must be a whole number from 2 to 64"
    ],
    ["file.validate.queues", '"queues":[]', "queues: must be an object of queues by name"],
    ["file.validate.boards-type", '"boards":5', "boards: must be an object of boards by name"],
    [
      "file.validate.boards-direction",
      '"boards":{"main":{}}',
      "boards.main.direction: must be higher or lower"
    ],
    [
      "file.validate.origins-type",
      '"origins":null',
      "origins: must be an array of distinct, non-empty strings"
    ],
    [
      "file.validate.origins-entry",
      '"origins":["a.example"]',
      "origins: no bare origin such as https://game.example: a.example"
    ],
    ["file.validate.preRelease-type", '"preRelease":1', "preRelease: must be true or false"]
  ]
  it.each(refused)("[%s] refuses %s as the service does", (_, member, fault) => {
    expect(readDeclared(`{${member}}`)).toEqual(Result.fail(`field ${fault}`))
  })

  it("[C-322] names keys that nothing reads, and the nearest one that something does", () => {
    expect(unknownKeysOf('{"orgins":[],"name":"x","static":"dist","zzz":1}')).toEqual([
      '"orgins" is no key of a project file and is ignored; did you mean origins?',
      '"zzz" is no key of a project file and is ignored'
    ])
    for (const text of ["", "[]", "null", "{}"]) expect(unknownKeysOf(text)).toEqual([])
  })

  it("[C-120] refuses player as the role of the audience", () => {
    expect(readDeclared('{"audienceRole":"player"}')).toEqual(
      Result.fail("field audienceRole: must not be player, which those who play are")
    )
  })
})

describe("readProjectFile", () => {
  it("[file.all-optional] takes an empty object, as every key is optional", () => {
    expect(readProjectFile("{}")).toEqual(Result.succeed({}))
  })

  it("[file.unknown-keys-ignored] takes its three keys and leaves the others alone", () => {
    const text = `{"project":"${id}","name":"Arena","client":"src/main.ts","boards":3,"orgins":[]}`
    expect(readProjectFile(text)).toEqual(
      Result.succeed({ project: id, name: "Arena", client: "src/main.ts" })
    )
  })

  it.each(["", "{", '{"name":"x",}', "// no\n{}", "{} {}"])(
    "[file.validate.not-json] refuses %j",
    (text) => {
      expect(problemOf(text)).toMatch(/^not valid JSON: ./)
    }
  )

  it.each(["[]", "3", "null", '"x"', "true"])(
    "[file.validate.not-json] %s is no object",
    (text) => {
      expect(problemOf(text)).toBe("not a JSON object")
    }
  )

  const bad = ['""', "5", "null", "[]", "{}", "true"]
  it.each(bad)("[file.validate.project-type.refused] project %s", (value) => {
    expect(problemOf(`{"project":${value}}`)).toBe("project: must be a non-empty string")
  })
  it.each(bad)("[file.validate.name-type] name %s", (value) => {
    expect(problemOf(`{"name":${value}}`)).toBe("name: must be a non-empty string")
  })
  it.each(bad)("[file.validate.client-type] client %s", (value) => {
    expect(problemOf(`{"client":${value}}`)).toBe("client: must be a non-empty string")
  })

  it("[file.validate.not-json] any text is either read or refused with a reason", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(problemOf(text)).not.toBe("")
      })
    )
  })
})

describe("readProjectKey", () => {
  it("[file.reads.others] takes project and name, and looks at no other key", () => {
    const text = `{"project":"${id}","name":"Arena","client":5,"boards":3}`
    expect(readProjectKey(text)).toEqual(Result.succeed({ project: id, name: "Arena" }))
    expect(readProjectKey("{}")).toEqual(Result.succeed({}))
  })

  it.each(['""', "5", "null", "[]", "{}", "true"])(
    "[file.validate.project-type.absent] [T-14] project %s is as good as none",
    (value) => {
      expect(readProjectKey(`{"project":${value}}`)).toEqual(Result.succeed({}))
    }
  )

  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["file.validate.name-type", '{"name":""}', /^name: must be a non-empty string$/],
    ["file.validate.name-type", '{"project":5,"name":null}', /^name: must be a non-empty string$/],
    ["file.validate.not-json", "{", /^not valid JSON: ./],
    ["file.validate.not-json", "[]", /^not a JSON object$/]
  ]
  it.each(refused)("[%s] refuses %s", (_, text, message) => {
    const read = readProjectKey(text)
    expect(Result.isFailure(read) ? read.failure : null).toMatch(message)
  })
})

describe("readStatic", () => {
  const taken: ReadonlyArray<readonly [string, object | null]> = [
    ["", null],
    ["{}", null],
    ['{"static":"dist"}', { dir: "dist", label: null }],
    ['{"static":{"dir":"dist"}}', { dir: "dist", label: null }],
    ['{"static":{"dir":"dist","label":"arena","lable":5}}', { dir: "dist", label: "arena" }]
  ]
  it.each(taken)("[file.static.forms] [file.static.omitted] takes %s", (text, key) => {
    expect(readStatic(text)).toEqual(Result.succeed(key))
  })

  it.each(['""', "5", "null", "true", "[]", '["dist"]', "{}", '{"dir":""}', '{"dir":5}'])(
    "[file.validate.static-type] refuses %s by name",
    (value) => {
      expect(readStatic(`{"static":${value}}`)).toEqual(
        Result.fail("static: must be the path of a folder, or an object with it as dir")
      )
    }
  )

  it.each(['""', "5", "null"])("[file.validate.static-type] refuses the label %s", (label) => {
    expect(readStatic(`{"static":{"dir":"dist","label":${label}}}`)).toEqual(
      Result.fail("static.label: must be a non-empty string")
    )
  })
})

describe("withProject", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["no file", "", `{\n  "project": "${id}"\n}\n`],
    ["an empty object", "{}", `{\n  "project": "${id}"\n}`],
    ["an empty object with air", "{ \n }\n", `{\n  "project": "${id}"\n}\n`],
    ["one line", '{ "name": "Arena" }\n', `{ "project": "${id}", "name": "Arena" }\n`],
    ["no air at all", '{"name":"Arena"}', `{"project": "${id}", "name":"Arena"}`],
    [
      "many lines, tabs",
      '{\n\t"name": "Arena",\n\t"x": 1\n}\n',
      `{\n\t"project": "${id}",\n\t"name": "Arena",\n\t"x": 1\n}\n`
    ],
    [
      "a project that is no id",
      '{"name":"Arena","project":5}',
      `{\n  "name": "Arena",\n  "project": "${id}"\n}\n`
    ]
  ]
  it.each(cases)("[file.first-deploy-adds-project] %s", (_, before, after) => {
    expect(withProject(before, id)).toBe(after)
  })

  it("[file.first-deploy-adds-project] other keys are untouched, however they are written", () => {
    const layout = fc.constantFrom<string | number | undefined>(undefined, 1, 2, 4, "\t")
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), layout, (object, indent) => {
        fc.pre(!Object.hasOwn(object, "project") && !Object.hasOwn(object, "__proto__"))
        const written = withProject(JSON.stringify(object, null, indent), id)
        // -0 is not kept by JSON.stringify, so the text is what is compared with.
        const before = JSON.parse(JSON.stringify(object))
        expect(JSON.parse(written)).toEqual({ project: id, ...before })
      })
    )
  })
})

describe("resolution", () => {
  const file = { project: "p_file" }

  it("[file.resolve.deploy] --project, then the file, then the schema, then none", () => {
    const all = { flag: "p_flag", file, schema: "p_schema" }
    expect(projectOfDeploy(all)).toEqual({ id: "p_flag", source: "--project" })
    expect(projectOfDeploy({ ...all, flag: null })).toEqual({ id: "p_file", source: "file" })
    expect(projectOfDeploy({ ...all, flag: null, file: {} })).toEqual({
      id: "p_schema",
      source: "schema"
    })
    expect(projectOfDeploy({ flag: null, file: {}, schema: null })).toBeNull()
  })

  it("[file.resolve.others] --project, then the file, then none", () => {
    expect(projectOfOthers({ flag: "p_flag", file })).toEqual({ id: "p_flag", source: "--project" })
    expect(projectOfOthers({ flag: null, file })).toEqual({ id: "p_file", source: "file" })
    expect(projectOfOthers({ flag: null, file: {} })).toBeNull()
  })

  it("[file.resolve.dev] the project of the file, then the project dev", () => {
    expect(projectOfDev(file)).toEqual({ id: "p_file", source: "file" })
    expect(projectOfDev({})).toEqual({ id: "dev", source: "default" })
  })

  it("[file.name.order] --name, then the file, then the directory", () => {
    const all = { flag: "flag", file: { name: "file" }, directory: "dir" }
    expect(nameOfProject(all)).toBe("flag")
    expect(nameOfProject({ ...all, flag: null })).toBe("file")
    expect(nameOfProject({ ...all, flag: null, file: {} })).toBe("dir")
  })
})
