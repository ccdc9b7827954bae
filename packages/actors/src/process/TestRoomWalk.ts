/**
 * Statements that a room runs to find a way out. They walk over everything that room code can get:
 * properties, accessors, prototypes, the contents of collections, and what is thrown. They also call
 * what they find, with several receivers and arguments. Two proxies among the arguments record what
 * a callee writes to them and hands to them.
 *
 * Each thing that is found must be of the language, a global of rooms or an instance of one, a plain
 * function, or a class that `allowed` names. The statements say every other thing with its path.
 */
export const walkOf = (allowed: ReadonlyArray<string>): string =>
  [
    `const allowed = new Set(${JSON.stringify(allowed)})`,
    Originals,
    Language,
    Judging,
    Meeting,
    Calling,
    Makers,
    Walking
  ].join("\n")

/** Globals that are the language's own. */
const LanguageGlobals = (
  "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean " +
  "DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array " +
  "Function Int16Array Int32Array Int8Array Intl Iterator JSON Map Math Number Object Promise Proxy RangeError " +
  "ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal " +
  "TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly " +
  "decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval isFinite isNaN parseFloat parseInt unescape"
).split(" ")

/** Taken before the walk calls what may change them. */
const Originals = String.raw`
  const { apply, construct, ownKeys, getPrototypeOf, getOwnPropertyDescriptor: describe } = Reflect
  const { then } = Promise.prototype, { toString: textOf } = Function.prototype
  const { forEach: eachOfMap } = Map.prototype, { forEach: eachOfSet } = Set.prototype
  const { deref } = WeakRef.prototype, { defineProperty } = Reflect
  const later = Promise, sleep = setTimeout
  const holds = (value) => (typeof value === "object" && value !== null) || typeof value === "function"
  const sourceOf = (value) => { try { return apply(textOf, value, []) } catch { return "" } }
`

/** What the language's own globals and its syntax lead to, without a call. */
const Language = String.raw`
  const language = new Set(), open = []
  const learn = (value) => {
    if (!holds(value) || language.has(value)) return
    language.add(value)
    open.push(value)
  }
  const pristine = new Set(${JSON.stringify(LanguageGlobals)})
  for (const name of pristine) learn(globalThis[name])
  const traced = {}
  Error.captureStackTrace(traced)
  const format = Error.prepareStackTrace
  Error.prepareStackTrace = (_, [site]) => learn(getPrototypeOf(site))
  void new Error("x").stack
  Error.prepareStackTrace = format
  learn(describe(traced, "stack").get)
  learn(describe(traced, "stack").set)
  const segments = new Intl.Segmenter().segment("a")
  for (const value of [
    [].values(), new Map().keys(), new Set().keys(), "".matchAll(/x/g), ""[Symbol.iterator](), segments,
    segments[Symbol.iterator](), function* () {}, (function* () {})(), async function* () {}, async () => {},
    (async function* () {})(), Iterator.from({ next() {} }), [].values().map((value) => value)
  ]) learn(getPrototypeOf(value))
  while (open.length > 0) {
    const value = open.pop()
    learn(getPrototypeOf(value))
    for (const key of ownKeys(value)) {
      const found = describe(value, key)
      for (const part of ["value", "get", "set"]) learn(found[part])
    }
  }
`

const Judging = String.raw`
  const room = new Set(), shapes = new Set()
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = globalThis[name]
    room.add(value)
    if (typeof value === "function" && holds(value.prototype)) shapes.add(value.prototype)
  }
  /** A prototype with nothing on it: every plain function has one from its birth. */
  const isBare = (shape) => {
    const maker = describe(shape, "constructor")?.value
    if (typeof maker !== "function" || ownKeys(shape).length > 1) return false
    return room.has(maker) || !/^class|\[native code]/.test(sourceOf(maker))
  }
  const judge = (value) => {
    if (typeof value === "function" && !room.has(value)) {
      const source = sourceOf(value)
      if (source.includes("[native code]")) return "native function " + value.name
      if (source.startsWith("class") && !allowed.has(value.name)) return "class " + value.name
    }
    let shape = getPrototypeOf(value)
    while (shape !== null && !language.has(shape)) {
      const named = describe(shape, "constructor")?.value
      // Node's errors hide their class, and a class below it that hides frames.
      const keys = [...ownKeys(shape), ...ownKeys(getPrototypeOf(shape) ?? {})]
      const isError = keys.some((key) => key.description === "kIsNodeError")
      const tag = isError ? "NodeError" : describe(shape, Symbol.toStringTag)?.value
      const known = shapes.has(shape) || room.has(shape) || isBare(shape) || allowed.has(tag) ||
        (allowed.has(named?.name) && sourceOf(named).startsWith("class"))
      if (!known) return "instance of " + (named?.name ?? tag ?? "an unnamed class")
      shape = getPrototypeOf(shape)
    }
  }
`

const Meeting = String.raw`
  const paths = new Map(), queue = [], own = new Set([exports, module, exports.connect, say])
  const said = new Set()
  const meet = (value, path) => {
    if (!holds(value) || own.has(value) || language.has(value) || paths.has(value)) return
    paths.set(value, path)
    queue.push(value)
    const verdict = judge(value)
    if (verdict === undefined || said.has(verdict)) return
    said.add(verdict)
    say("walk: " + verdict + " by " + path)
  }
  const recorder = (path) => {
    const record = function (...values) {
      if (this !== globalThis) meet(this, path + ".this")
      for (const value of values) meet(value, path + ".argument")
    }
    own.add(record).add(record.prototype)
    return record
  }
  let steps = 0
  const step = () => { if (steps-- < 0) throw new Error("a callee does not come to an end") }
  /** "eager" has everything that it is asked for; the other one has nothing. */
  const trap = (path, eager) => {
    const target = function () {}
    const answer = (self, values) => {
      step()
      meet(self, path + ".this")
      for (const value of values) meet(value, path + ".argument")
      return eager ? proxy : undefined
    }
    const proxy = new Proxy(target, {
      has: () => true,
      apply: (_, self, values) => answer(self, values),
      construct: (_, values) => answer(undefined, values) ?? {},
      get: (_, key) => {
        step()
        if (!eager) return undefined
        return key === "prototype" ? target.prototype : key === Symbol.toPrimitive ? () => "fs" : proxy
      },
      set: (_, key, value) => (meet(value, path + "." + String(key) + " ="), true),
      defineProperty: (_, key, change) => {
        for (const part of ["value", "get", "set"]) meet(change[part], path + "." + String(key) + " =")
        return defineProperty(target, key, { ...change, configurable: true })
      }
    })
    own.add(target).add(target.prototype).add(proxy)
    return proxy
  }
`

const Calling = String.raw`
  let calls = 0
  const settling = []
  const took = (value, path) => {
    meet(value, path)
    try {
      settling.push(apply(then, value, [(got) => meet(got, path + ".then"), (error) => meet(error, path + ".catch")]))
    } catch {}
  }
  const attempt = (run, path) => {
    calls++
    steps = 300
    try { took(run(), path) } catch (error) { meet(error, path + ".throws") }
  }
  const argumentsOf = (self, path) => [
    [], [recorder(path)], ["fs"], [trap(path, false)], [trap(path, true)], [self], [[self]], [1], ["x", recorder(path)],
    [recorder(path), 1], [2, {}, recorder(path)], [{}, trap(path, true)], ["fs", trap(path, true)]
  ]
  // These end the room, block it, print, or take a task that is only run later: done below by hand.
  const left = new Set([port.end, port.send, port.afterTurn, port.setTimer, process.nextTick, queueMicrotask])
  for (const name of ["setTimeout", "setInterval", "setImmediate"]) left.add(globalThis[name])
  for (const name of ownKeys(console)) left.add(console[name])
  left.add(process.emitWarning)
  // Node ends its process over a strange encoding.
  for (const name of ["indexOf", "lastIndexOf", "includes"]) left.add(Buffer.prototype[name])
  const receivers = new Map(), copies = new Map()
  /** Of functions with one source, such as those on each error, some are called. */
  const isCopy = (member) => {
    const source = sourceOf(member), times = copies.get(source) ?? 0
    if (!receivers.has(member)) copies.set(source, times + 1)
    return times > 20
  }
  const callMember = (member, self, { path, isGetter }) => {
    if (typeof member !== "function" || left.has(member) || own.has(member) || language.has(member)) return
    if (isCopy(member)) return
    const times = receivers.get(member) ?? 0
    if (times > 4) return
    receivers.set(member, times + 1)
    if (isGetter) attempt(() => apply(member, self, []), path)
    else for (const values of argumentsOf(self, path)) attempt(() => apply(member, self, values), path + "()")
    if (times > 0) return
    for (const other of [trap(path, false), trap(path, true), undefined]) {
      for (const values of [[], [trap(path, true)], [trap(path, false)]]) {
        attempt(() => apply(member, other, values), path + ".call()")
      }
    }
  }
  const visit = (value) => {
    const path = paths.get(value)
    meet(getPrototypeOf(value), path + ".[[Prototype]]")
    const inside = (held) => meet(held, path + ".[[Content]]")
    for (const each of [eachOfMap, eachOfSet]) {
      try { apply(each, value, [(held, key) => (inside(held), inside(key))]) } catch {}
    }
    try { inside(apply(deref, value, [])) } catch {}
    for (let holder = value; holder !== null && !language.has(holder); holder = getPrototypeOf(holder)) {
      for (const key of ownKeys(holder)) {
        const found = describe(holder, key)
        const at = path + (typeof key === "symbol" ? "[" + String(key) + "]" : "." + key)
        for (const part of ["value", "get", "set"]) {
          meet(found?.[part], at)
          if (key !== "constructor") callMember(found?.[part], value, { path: at, isGetter: part === "get" })
        }
      }
    }
    if (typeof value !== "function" || left.has(value) || isCopy(value)) return
    callMember(value, undefined, { path, isGetter: false })
    for (const values of argumentsOf(value, path)) attempt(() => construct(value, values), "new " + path)
  }
`

/** What a room can make, beyond what the walk makes by itself. */
const Makers = String.raw`
  const generate = (algorithm, usages) => crypto.subtle.generateKey(algorithm, true, usages)
  const custom = Symbol.for("nodejs.util.inspect.custom")
  const makers = {
    globalThis: () => globalThis,
    port: () => port,
    require: () => require,
    "signal": () => new AbortController().signal,
    "AbortSignal.timeout()": () => AbortSignal.timeout(5),
    "AbortSignal.any()": () => AbortSignal.any([new AbortController().signal, AbortSignal.timeout(5)]),
    "new DOMException()": () => new DOMException("x", "AbortError"),
    "new Event()": () => new Event("x"),
    "new CustomEvent()": () => new CustomEvent("x", { detail: 1 }),
    "new URL()": () => new URL("http://x/?a=1"),
    "URLSearchParams.keys()": () => new URLSearchParams("a=1").keys(),
    "new TextDecoder()": () => new TextDecoder("utf-16le"),
    "Buffer.from()": () => Buffer.from("x"),
    // The walk stops what it gets hold of: only the last one of each is given to it.
    setTimeout: () => (setTimeout(recorder("setTimeout"), 1), setTimeout(recorder(""), 1)),
    setInterval: () => (setInterval(recorder("setInterval"), 5), setInterval(recorder(""), 5)),
    setImmediate: () => (setImmediate(recorder("setImmediate")), setImmediate(recorder(""))),
    nextTick: () => process.nextTick(recorder("nextTick"), 1),
    queueMicrotask: () => queueMicrotask(recorder("queueMicrotask")),
    "port.setTimer": () => (port.setTimer(1, recorder("port.setTimer")), port.setTimer(1, recorder(""))),
    "port.afterTurn": () => port.afterTurn(recorder("port.afterTurn")),
    "import()": () => import("node:fs"),
    "import() with": () => import("x", { with: { type: "json" } }),
    "import.source()": () => new Function("return import.source('fs')")(),
    "import.defer()": () => new Function("return import.defer('fs')")(),
    "AES key": () => generate({ name: "AES-GCM", length: 128 }, ["encrypt"]),
    "EC keys": () => generate({ name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"]),
    "HMAC key": () => crypto.subtle.importKey("raw", new Uint8Array(8), { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
    digest: () => crypto.subtle.digest("SHA-256", new Uint8Array(1)),
    "no key": () => crypto.subtle.importKey("raw", {}, "x", true, []),
    "quota error": () => crypto.getRandomValues(new Uint8Array(70000)),
    "WebAssembly.instantiate()": () => WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
    "WebAssembly.compile()": () => WebAssembly.compile(new Uint8Array(3)),
    "clone of plain data": () => structuredClone({ map: new Map([[1, new Date()]]), error: new Error("x") }),
    "clone of an exception": () => structuredClone(new DOMException("x")),
    "clone of a signal": () => structuredClone(new AbortController().signal),
    memoryUsage: () => process.memoryUsage(),
    "stack overflow": () => { const deep = () => deep(); deep() },
    caller: () => { (function callee() { meet(callee.caller, "caller") })() },
    listeners: () => {
      const target = new EventTarget()
      target.addEventListener("x", recorder("listener"))
      target.addEventListener("x", { handleEvent: recorder("handleEvent") }, { signal: AbortSignal.timeout(5) })
      target.dispatchEvent(new Event("x"))
      return target
    },
    format: () => port.format(["%o %O %s %j", { [custom]: recorder("inspect") }, trap("%O", true), trap("%s", true), {}]),
    "call sites": () => {
      const sites = []
      Error.prepareStackTrace = (_, all) => void sites.push(...all)
      void new Error("x").stack
      Error.prepareStackTrace = format
      const foreign = sites.filter((site) => site.getFileName() !== "room.bundle.js")
      for (const site of foreign) [site.getThis(), site.getFunction()].forEach((value) => meet(value, "call site"))
    }
  }
`

const Walking = String.raw`
  for (const [name, make] of Object.entries(makers)) attempt(make, name)
  for (let round = 0; round < 5; round++) {
    // What lies behind a hole is not called: it is all of Node.
    while (queue.length > 0 && said.size === 0) visit(queue.shift())
    await new later((resolve) => sleep(resolve, 20))
    const soon = new later((resolve) => sleep(resolve, 200))
    await later.race([soon, later.all(settling.splice(0))])
  }
  say("walk: enough " + (paths.size > 5000 && calls > 10000 && language.size > 900))
`
