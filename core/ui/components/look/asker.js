// Questions to a run over the network: two in flight at most, and the newest question next.
// A question may need two answers (both masks); they count as two in flight, and are told together.
// Two connections may answer out of order, so each question has a number, and an answer older than what is shown is
// dropped. Nothing is called off while one types on: calling off gains nothing, and one in flight alone is slower.

const IN_FLIGHT = 2
const RETRY = 1000
const LONGEST_RETRY = 5000
const FIRST = 35_000 // milliseconds that the very first answer may take: a server that has just started loads torch

/**
 * @template Answer
 * @param {object} options
 * @param {number} options.patience milliseconds until a question is given up
 * @param {() => { url: string, bodies: object[], topic: string, about: any } | null} options.question the newest question;
 *   `topic`: an answer to another topic (another run) is worth nothing any more
 * @param {(response: Response) => Promise<Answer>} options.read
 * @param {(answers: Answer[], about: any, milliseconds: number) => void} options.answered one answer a body
 * @param {(code: string, message: string) => void} options.failed
 */
export function asker({ patience, question, read, answered, failed }) {
  let number = 0
  let shown = 0
  let flying = 0
  let waiting = false // a newer question waits for its turn
  let refused = 0 // the newest question that got no answer: an older one's answer does not call off asking it again
  let failures = 0
  let timer = 0
  let closed = false
  const open = new Set()

  async function send() {
    const asked = question()
    if (!asked) return
    const own = ++number
    const call = new AbortController()
    const limit = setTimeout(() => call.abort("time out"), shown ? patience : Math.max(patience, FIRST))
    const began = performance.now()
    const posts = asked.bodies.length
    flying += posts
    open.add(call)
    try {
      const answers = await Promise.all(asked.bodies.map(body => post(asked.url, body, call.signal, read)))
      if (closed || own < shown || asked.topic !== question()?.topic) return
      shown = own
      if (own > refused) {
        failures = 0
        clearTimeout(timer)
      }
      answered(answers, asked.about, performance.now() - began)
    } catch (problem) {
      if (!closed && own > shown && asked.topic === question()?.topic) {
        refused = Math.max(refused, own)
        trouble(problem, call.signal.aborted)
      }
    } finally {
      clearTimeout(limit)
      open.delete(call)
      flying -= posts
      if (waiting && !closed) ask()
    }
  }

  function ask() {
    waiting = flying >= IN_FLIGHT
    if (!waiting) send()
  }

  /** @param {any} problem @param {boolean} late */
  function trouble(problem, late) {
    const code = problem.code ?? (late ? "busy" : "unreachable")
    failed(code, problem.message)
    if (code === "no_run" || code === "bad_request") return
    clearTimeout(timer)
    timer = setTimeout(ask, Math.min(LONGEST_RETRY, RETRY * 2 ** failures++))
  }

  return {
    ask,
    idle: () => flying === 0,
    close() {
      closed = true
      clearTimeout(timer)
      for (const call of open) call.abort("closed")
    },
  }
}

/**
 * @template Answer
 * @param {string} url
 * @param {object} body
 * @param {AbortSignal} signal
 * @param {(response: Response) => Promise<Answer>} read
 */
async function post(url, body, signal, read) {
  const headers = { "Content-Type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal, cache: "no-store" })
  if (response.ok) return read(response)
  const told = await response.json().catch(() => ({}))
  throw Object.assign(new Error(told.message ?? ""), { code: told.error ?? "unreachable" })
}
