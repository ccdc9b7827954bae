import * as Refusals from "@atrium/domain/shared/Refusal"
import { Predicate } from "effect"
import { OpenApi } from "effect/http-api"
import { describe, expect, test } from "vitest"

import { Api } from "./Api.ts"

/** The document as a client gets it: JSON, and nothing that its types promise. */
const document: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))

const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>(
    (found, key) => (Predicate.isObjectKeyword(found) ? Reflect.get(found, key) : undefined),
    value
  )
const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(Object(value))

interface Operation {
  readonly name: string
  readonly path: string
  readonly body: unknown
}

const operations: ReadonlyArray<Operation> = entries(document["paths"]).flatMap(([path, item]) =>
  entries(item).map(([method, body]) => ({ name: `${method.toUpperCase()} ${path}`, path, body }))
)

/** Every `$ref` below a value, wherever it stands. */
const refsIn = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap(refsIn)
  return entries(Predicate.isObject(value) ? value : {}).flatMap(([key, inner]) =>
    key === "$ref" ? [inner] : refsIn(inner)
  )
}

const schemaOf = (ref: unknown): unknown => {
  const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(String(ref)) ?? []
  return name === undefined ? undefined : at(document, "components", "schemas", name)
}

/** The codes that a response may carry; its schemas are checked to be those of errors. */
const codesOf = (response: unknown): ReadonlyArray<unknown> => {
  const schema = at(response, "content", "application/json", "schema")
  const refs = refsIn(schema)
  expect(refs.length).toBeGreaterThan(0)
  return refs.flatMap((ref) => {
    const error = at(schemaOf(ref), "properties", "error")
    expect(at(error, "required")).toEqual(expect.arrayContaining(["code", "message"]))
    expect(at(error, "properties", "message", "type")).toBe("string")
    const codes = at(error, "properties", "code", "enum")
    expect(codes).toHaveLength(1)
    expect(ref).toBe(`#/components/schemas/${String(at(codes, "0"))}`)
    return codes
  })
}

describe("the document", () => {
  test("[C-32] [D-47] [version.policy] is OpenAPI 3.1 with a title, a version, and what may change", () => {
    expect(document["openapi"]).toBe("3.1.0")
    expect(document["info"]).toEqual({
      title: "Atrium",
      version: "1",
      description: expect.stringMatching(/E_…[^]*only added[^]*`sunset`/)
    })
  })

  test("[C-32] has operation ids that are words, each once", () => {
    const ids = operations.map(({ body }) => String(at(body, "operationId")))
    for (const id of ids) expect(id).toMatch(/^[a-z]+\.[a-z][A-Za-z]*$/)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.length).toBeGreaterThan(30)
  })

  test("[C-32] has no reference to nothing, and no schema that nothing refers to", () => {
    const refs = refsIn(document)
    for (const ref of refs) expect(schemaOf(ref), String(ref)).toBeDefined()
    const names = entries(at(document, "components", "schemas")).map(([name]) => name)
    expect(names.filter((name) => !refs.includes(`#/components/schemas/${name}`))).toEqual([])
    // A number at the end is a second schema that was given the name of a first.
    expect(names.filter((name) => /_\d+$/.test(name))).toEqual([])
  })

  test("[C-32] every group has a title and a sentence, and its operations are under it", () => {
    const tags = Object.values(Object(document["tags"]))
    for (const tag of tags) {
      expect(at(tag, "name")).toMatch(/^[A-Z]/)
      expect(at(tag, "description")).toMatch(/^[A-Z].*\.$/)
    }
    const names = tags.map((tag) => at(tag, "name"))
    expect(new Set(names).size).toBe(names.length)
    for (const { body } of operations) expect(names).toContain(at(body, "tags", "0"))
  })

  test("[D-16] the one way to authenticate says which secrets it takes", () => {
    expect(at(document, "components", "securitySchemes")).toEqual({
      bearer: { type: "http", scheme: "Bearer", description: expect.stringMatching(/ct_.*rk_/) }
    })
  })

  test("[error.http.400-names] every code of it is one of the service's", () => {
    const known = Object.values<object>(Refusals).map((refusal) => at(refusal, "identifier"))
    const codes = entries(at(document, "components", "schemas"))
      .map(([name]) => name)
      .filter((name) => name.startsWith("E_"))
    for (const code of codes) expect(known).toContain(code)
    expect(codes.length).toBeGreaterThan(15)
  })
})

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s",
  (name, { path, body }) => {
    test("[C-32] has a summary of one sentence", () => {
      expect(at(body, "summary")).toMatch(/^[A-Z].{10,}\.$/)
    })

    test("[version.v1-prefix] [version.match-unprefixed] is below /v1, or of the match", () => {
      expect(path).toMatch(/^\/(?:v1\/|match(?:\/|$))/)
    })

    test("[C-32] declares the parts of its path, each with what it is and an example", () => {
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
      const declared = Object.values(Object(at(body, "parameters"))).filter(
        (parameter) => at(parameter, "in") === "path"
      )
      expect(declared.map((parameter) => at(parameter, "name"))).toEqual(parts)
      for (const parameter of declared) {
        expect(at(parameter, "required")).toBe(true)
        expect(at(parameter, "schema", "description")).toMatch(/\.$/)
        expect(at(parameter, "schema", "examples")).toHaveLength(1)
      }
    })

    test("[D-01] [C-221] [http.success-status] answers one success, a deployment also that nothing was made", () => {
      const successes = entries(at(body, "responses"))
        .map(([status]) => status)
        .filter((status) => status.startsWith("2"))
      if (name === "POST /v1/projects/{id}/deployments") {
        return expect(successes).toEqual(["200", "201"])
      }
      expect(successes).toHaveLength(1)
      expect(["200", "201", "202", "204"]).toContain(successes[0])
    })

    test("[D-02] every refusal has the one shape, 400 among them", () => {
      const refusals = entries(at(body, "responses")).filter(([status]) => /^[45]/.test(status))
      for (const [, response] of refusals) expect(codesOf(response).length).toBeGreaterThan(0)
      expect(codesOf(at(body, "responses", "400"))).toContain("E_BAD_REQUEST")
    })

    test("[D-03] with a credential it may be 401; below a project also 404", () => {
      const secured = Object.values(Object(at(body, "security"))).length > 0
      if (secured) expect(codesOf(at(body, "responses", "401"))).toEqual(["E_UNAUTHENTICATED"])
      if (!path.startsWith("/v1/projects/")) return
      expect(secured).toBe(true)
      expect(codesOf(at(body, "responses", "404"))).toContain("E_NOT_FOUND")
    })
  }
)
