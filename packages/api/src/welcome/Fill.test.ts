import { expect, test } from "vitest"

import { fill } from "./Fill.ts"

test("[C-392] what fills a page becomes text, never markup", () => {
  const texts = { host: `<b>"it's" & more</b>`, price: "$1 $&" }
  expect(fill("<p>{{host}}, {{price}}</p>", { texts, parts: {} })).toBe(
    "<p>&lt;b&gt;&quot;it&#39;s&quot; &amp; more&lt;/b&gt;, $1 $&amp;</p>"
  )
})

test("[C-392] a part is shown or left out, and a place without a filling is a fault", () => {
  const template = "a<!-- one -->b<!-- /one --><!-- two -->c<!-- /two -->d"
  expect(fill(template, { texts: {}, parts: { one: false, two: true } })).toBe("acd")
  expect(() => fill(template, { texts: {}, parts: { one: true } })).toThrow("filling: two")
  const none = { texts: {}, parts: { one: true, two: true, three: true } }
  expect(() => fill(template, none)).toThrow("no part three")
  expect(() => fill("{{one}}", { texts: {}, parts: {} })).toThrow("place one")
})
