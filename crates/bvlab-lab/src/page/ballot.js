// The question that is voted on: choices or an axis to guess on, for students and for whoever is alone; for the
// lecturer the count, the histogram and the answer.
import { app, byId, element, redraw, refill } from "./app.js";
import { actOnVote, answerAlone, answeredAlone, answerVote, isActing, markAlone, roleHere, voteHere } from "./class.js";
import { arrowTo } from "./focus-order.js";
import { short } from "./numbers.js";
import { Pen } from "./pen.js";
import { saveBlob } from "./saving.js";
import { countsFromServer } from "./server.js";
import { state } from "./state.js";
import { say } from "./strings.js";
import { askedOf, dotColumns, optionTexts, percentOf, rightCount, rightOptions, sumOf, tallyOf } from "./votes.js";

const ROUND_NAMES = ["first round", "second round"];

const TOO_EARLY = "The best value is not known yet: wait until the run of the lesson as it opens has ended.";

// What is drafted on the slider, by lesson; what the runs of lessons as they open said of their guesses; and the
// number of the vote that was to be revealed before that.
const ballot = { drafts: new Map(), truths: new Map(), early: null, pen: null, asked: null, lesson: null, button: null };

// What is right, as far as this page knows.
function rightHere(asked, lesson) {
  const vote = voteHere();
  if (vote?.phase === "revealed") return vote.right ?? [];
  const { run } = app;
  if (asked.guess && run?.best && run.scene.set.length === 0 && (run.scene.lesson === lesson || app.record)) {
    const along = run.head.learners[asked.guess.learner].axes[0]?.values.length ?? 1;
    ballot.truths.set(lesson, rightOptions(asked, run.best.learners[asked.guess.learner], along));
  }
  return asked.guess ? (ballot.truths.get(lesson) ?? []) : rightOptions(asked, null, 1);
}

// How the answers are shown: to be chosen, waiting, as a list, or counted.
function modeOf(role, vote) {
  if (role === "alone") return state.step === "answer" ? "bars" : "choose";
  if (role === "student") return { open: "choose", closed: "wait", revealed: "bars" }[vote?.phase] ?? "wait";
  return vote && vote.phase !== "open" ? "bars" : "list";
}

// Makes the ballot agree with the lesson, the state and the vote.
export function showBallot(words, goTo) {
  const holder = byId("ballot");
  const vote = voteHere();
  const role = roleHere();
  const asked = askedOf(words, vote?.choices ?? []);
  ballot.asked = asked;
  ballot.lesson = state.lesson;
  const elsewhere = role === "student" && app.vote.phase === "open" && app.vote.lesson !== state.lesson;
  const seen = asked !== null && (state.step !== "" || (vote !== null && role !== "alone"));
  holder.hidden = !seen && !elsewhere;
  if (holder.hidden) return;
  const options = byId("ballot-options");
  if (elsewhere) {
    refill(options, ["elsewhere", app.vote.lesson], () => [
      element("button", { id: "to-vote", class: "first", type: "button", onclick: () => goTo(app.vote.lesson) }, "To the question"),
    ]);
    byId("ballot-said").textContent = say("Your class votes on another lesson.");
    refill(byId("ballot-acts"), [], () => []);
    return;
  }
  const right = rightHere(asked, state.lesson);
  const mode = modeOf(role, vote);
  if (role === "alone" && mode === "bars") markAlone(right);
  const mine = role === "alone" ? answeredAlone() : (vote?.mine ?? null);
  const shown = { asked, mode, mine, rounds: vote?.rounds ?? [], right: isTold(role, mode, vote) ? right : [] };
  const focused = options.contains(document.activeElement) ? (document.activeElement.dataset.option ?? document.activeElement.id) : null;
  const choose = role === "alone" ? answerAlone : answerVote;
  if (refill(options, [state.lesson, shown, role], () => (asked.guess ? guessParts(shown, choose) : choiceParts(shown, choose))))
    if (focused !== null) (options.querySelector(`[data-option="${focused}"]`) ?? options.querySelector(`#${CSS.escape(focused)}`))?.focus();
  if (asked.guess) drawStrip(shown);
  const trouble = troubleOf(role, vote, right);
  const said = trouble ?? saidOf(role, vote, shown);
  const line = byId("ballot-said");
  line.classList.toggle("alarm", trouble !== null);
  if (line.dataset.said !== said) {
    line.dataset.said = said;
    line.textContent = say(said);
  }
  const guessing = asked.guess !== null && (mode === "choose" || mode === "wait");
  refill(byId("ballot-acts"), [role, vote?.phase, vote?.round, state.lesson, guessing && shown], () => {
    if (guessing) return [ballot.button];
    return role === "lecturer" ? actButtons(vote) : [];
  });
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

// Why something was not done, if so.
function troubleOf(role, vote, right) {
  if (app.voteTrouble) return sentence(app.voteTrouble);
  const early = role === "lecturer" && vote !== null && vote.number === ballot.early && vote.phase !== "revealed";
  return early && right.length === 0 ? TOO_EARLY : null;
}

// Whether what is right may be seen: the lecturer's page is on the projector.
function isTold(role, mode, vote) {
  return mode === "bars" && (role === "alone" || vote?.phase === "revealed");
}

// What is said below the answers.
function saidOf(role, vote, { mine, right, rounds }) {
  if (role === "alone") {
    if (right.length === 0 || mine === null) return mine === null ? "" : "You can change your answer until you see the right one.";
    const { answered, right: score } = tallyOf(app.marked);
    return `${right.includes(mine) ? "Your answer is right." : "Your answer is not right."} ${score} of ${answered} right so far.`;
  }
  if (vote?.phase === "revealed") {
    const parts = rounds.map((counts, i) => {
      const share = `${percentOf(rightCount(counts, right), sumOf(counts))} right of ${sumOf(counts)}`;
      return rounds.length > 1 ? `${ROUND_NAMES[i]} ${share}` : share;
    });
    return parts.join(", ");
  }
  if (role === "lecturer") {
    if (vote?.phase === "open") return `Answers: ${vote.answered} · pages connected: ${vote.here}`;
    if (vote?.phase === "closed") return `Voting is closed. Answers: ${sumOf(rounds.at(-1) ?? [])}`;
    return `Pages connected: ${app.vote.here}`;
  }
  if (vote === null) return "Voting has not begun.";
  if (vote.phase === "closed") return "Voting is closed.";
  if (mine === null) return vote.round > 1 ? "Second round: answer again." : "Choose an answer.";
  return vote.kept === mine ? "Your answer counts. You can change it until voting closes." : "Sending your answer.";
}

// Choices as a group of radio buttons, or as a list with counts.
function choiceParts({ asked, mode, mine, rounds, right }, choose) {
  const texts = optionTexts(asked, short);
  if (mode === "list" || mode === "bars") {
    const rows = texts.map((text, i) => choiceRow(text, i, { rounds, right, mine }));
    return [element("ol", { class: mode }, ...rows)];
  }
  const onkeydown = (event) => {
    const all = [...event.currentTarget.querySelectorAll("[role=radio]")];
    const to = arrowTo(event.key, all.indexOf(document.activeElement), all.length);
    if (to === null || mode === "wait") return;
    event.preventDefault();
    all[to].focus();
    choose(to);
  };
  const buttons = texts.map((text, i) =>
    element(
      "button",
      {
        type: "button",
        role: "radio",
        "data-option": String(i),
        "aria-checked": String(mine === i),
        "aria-disabled": mode === "wait" ? "true" : null,
        tabindex: i === (mine ?? 0) ? "0" : "-1",
        onclick: () => {
          if (mode === "choose") choose(i);
        },
      },
      element("span", { class: "letter", "aria-hidden": "true" }, String.fromCharCode(65 + i)),
      element("span", {}, text),
    ),
  );
  return [element("div", { class: "choices", role: "radiogroup", "aria-label": "Your answer", onkeydown }, ...buttons)];
}

// A choice with its bars, one for every round.
function choiceRow(text, i, { rounds, right, mine }) {
  const bars = rounds.map((counts, round) => {
    const whole = sumOf(counts);
    const words = `${counts[i]} (${percentOf(counts[i], whole)})`;
    return element(
      "span",
      { class: rounds.length > 1 && round === 0 ? "round before" : "round" },
      element("progress", { max: String(Math.max(1, whole)), value: counts[i], "aria-label": `${text}: ${words}` }),
      element("span", {}, words),
    );
  });
  const flags = [
    right.includes(i) ? element("strong", { class: "rightly" }, " ✓ right") : null,
    mine === i ? element("em", {}, " your answer") : null,
  ];
  return element(
    "li",
    { class: right.includes(i) ? "right" : null, "data-option": String(i) },
    element("span", {}, element("span", { class: "letter", "aria-hidden": "true" }, String.fromCharCode(65 + i)), text, ...flags),
    ...bars,
  );
}

// An axis with a slider below it; the button that sends the guess stands beside what is said.
function guessParts({ asked, mode, mine }, choose) {
  const { guess } = asked;
  const texts = optionTexts(asked, short);
  const strip = element("figure", { id: "guess-strip", class: mode === "bars" ? "picture counted" : "picture" });
  strip.innerHTML = '<svg role="img"></svg>';
  if (mode === "list" || mode === "bars") return [strip];
  const lesson = state.lesson ?? "";
  const draft = () => ballot.drafts.get(lesson) ?? mine ?? Math.floor(texts.length / 2);
  const button = element("button", {
    id: "send-guess",
    class: "first",
    type: "button",
    onclick: () => choose(draft()),
  });
  const slider = element("input", {
    id: "guess",
    type: "range",
    min: "0",
    max: String(texts.length - 1),
    step: "1",
    value: String(draft()),
    disabled: mode === "wait",
    "aria-label": `Your guess of the best ${guess.name}`,
    oninput: () => {
      ballot.drafts.set(lesson, Number(slider.value));
      agree();
    },
  });
  const agree = () => {
    slider.setAttribute("aria-valuetext", texts[draft()]);
    button.textContent = say(mine === draft() ? `Your answer: ${texts[draft()]}` : `Answer ${texts[draft()]}`);
    button.disabled = mode === "wait" || mine === draft();
  };
  agree();
  ballot.button = button;
  return [strip, slider];
}

// The axis with what was guessed, as dots, and the best value.
function drawStrip({ asked, rounds, right, mine, mode }) {
  const svg = byId("guess-strip")?.querySelector("svg");
  if (!svg) return;
  if (ballot.pen?.svg !== svg) ballot.pen = new Pen(svg);
  const pen = ballot.pen;
  pen.measure();
  if (!pen.begin()) return;
  const { em, width, height } = pen;
  const texts = asked.guess.values.map((value) => short(Number(value)));
  const step = (width - 18) / Math.max(1, texts.length - 1);
  const at = (i) => 9 + (texts.length > 1 ? i * step : (width - 18) / 2);
  const foot = height - 1.5 * em;
  pen.line("frame", 0, foot, width, foot);
  let last = -Infinity;
  texts.forEach((text, i) => {
    pen.line("frame", at(i), foot, at(i), foot + 0.25 * em);
    if (at(i) - last < (text.length + 1.2) * 0.62 * em) return;
    last = at(i);
    pen.text("number", Math.max(0.3 * em * text.length, Math.min(width - 0.3 * em * text.length, at(i))), foot + 1.25 * em, text, em, "middle");
  });
  const size = Math.max(2, Math.min(0.36 * em, (0.4 * step) / Math.max(1, rounds.length)));
  rounds.forEach((counts, round) => {
    const { columns } = dotColumns(counts, Math.max(1, Math.floor((foot - 1.4 * em) / (2.1 * size))));
    const shift = rounds.length > 1 ? (2 * round - 1) * size : 0;
    columns.forEach((high, i) => {
      for (let dot = 0; dot < high; dot++)
        pen.draw("circle", { class: rounds.length > 1 && round === 0 ? "guess before" : "guess", cx: at(i) + shift, cy: foot - (2.1 * dot + 1.2) * size, r: size });
    });
  });
  for (const i of right) pen.draw("path", { class: "curve truth", d: `M${at(i)} ${foot}V${1.15 * em}` });
  if (right.length > 0) pen.text("label ink-truth", Math.min(width - 3 * em, Math.max(3 * em, at(right[0]))), 0.8 * em, "the best", em, "middle");
  if (mine !== null && mode !== "list")
    pen.draw("path", { class: "handle", d: `M${at(mine)} ${foot}l${0.4 * em} ${0.7 * em}h${-0.8 * em}z` });
  pen.end();
  svg.setAttribute("aria-label", say(stripWords({ asked, rounds, right })));
}

function stripWords({ asked, rounds, right }) {
  const texts = optionTexts(asked, short);
  const round = (counts) => counts.map((count, i) => (count > 0 ? `${texts[i]}: ${count}` : "")).filter((one) => one !== "").join("; ");
  const best = right.length > 0 ? ` Best: ${right.map((i) => texts[i]).join(", ")}.` : "";
  return `Guesses from ${texts[0]} to ${texts.at(-1)}. ${rounds.map(round).join(". ")}${best}`;
}

// What the lecturer can do next with the vote, by one press.
function actsFor(vote) {
  const once = (act) => () => {
    if (!isActing()) act();
  };
  return nextActs(vote).map(([id, label, act]) => [id, label, once(act)]);
}

function nextActs(vote) {
  const open = ["open-vote", "Open voting", openVote];
  const close = ["close-vote", "Close voting", closeVote];
  const again = ["second-round", "Second round", () => actOnVote({ do: "again" })];
  const show = ["reveal-vote", "Reveal", revealVote];
  const save = ["save-counts", "Save counts (CSV)", saveCounts];
  if (vote === null) return [open];
  if (vote.phase === "open") return [close];
  if (vote.phase === "closed") return (vote.round ?? 1) < ROUND_NAMES.length ? [again, show] : [show];
  return [save];
}

function actButtons(vote) {
  return actsFor(vote).map(([id, label, onclick], i) =>
    element("button", { id, type: "button", class: i === 0 && id !== "save-counts" ? "first" : null, onclick }, label),
  );
}

function openVote() {
  if (!ballot.asked || state.lesson === null) return;
  actOnVote({ do: "open", lesson: state.lesson, choices: ballot.asked.choices });
}

// Closes the vote on this lesson if it is open. True if it was.
export function closeVote() {
  if (roleHere() !== "lecturer" || voteHere()?.phase !== "open") return false;
  actOnVote({ do: "close" });
  return true;
}

const revealing = { words: () => ({}), show: () => {} };

// Says where the answer in words is, and how it is shown.
export function setUpBallot(words, show) {
  Object.assign(revealing, { words, show });
}

// Shows the class counts and answer.
function revealVote() {
  revealing.show();
}

// The answer is seen: whoever votes sees it, too.
export function tellAnswer() {
  const vote = voteHere();
  if (roleHere() !== "lecturer" || vote === null || vote.phase === "revealed" || !ballot.asked) return;
  const right = rightHere(ballot.asked, state.lesson);
  // What is revealed is final.
  if (ballot.asked.guess && right.length === 0) {
    ballot.early = vote.number;
    redraw();
    return;
  }
  const { answer, lookFor } = revealing.words();
  actOnVote({ do: "reveal", right, answer, lookFor });
}

async function saveCounts() {
  try {
    saveBlob(await countsFromServer(), "answers.csv");
  } catch (error) {
    app.voteTrouble = error.message;
  }
}

// The vote for the presenter's window: what is said, and what can be done.
export function voteForPresenter() {
  if (roleHere() !== "lecturer" || !ballot.asked) return null;
  const vote = voteHere();
  const texts = optionTexts(ballot.asked, short);
  const counts = vote?.rounds?.at(-1) ?? [];
  const counted = counts.map((count, i) => (count > 0 ? `${texts[i]}: ${count}` : "")).filter((one) => one !== "");
  const right = rightHere(ballot.asked, state.lesson);
  const shown = { asked: ballot.asked, mine: null, rounds: vote?.rounds ?? [], right };
  const said = troubleOf("lecturer", vote, right) ?? saidOf("lecturer", vote, shown);
  return { said: [say(said), ...counted].join(" · "), acts: actsFor(vote).map(([id, label, act]) => [id, say(label), act]) };
}

// The guesses as marks on the curve of their learner: those of the class, or one's own.
export function guessesOnCurve(learner) {
  const { asked, lesson } = ballot;
  if (!asked?.guess || asked.guess.learner !== learner || asked.guess.axis !== 0 || lesson !== state.lesson) return [];
  const vote = voteHere();
  if (roleHere() !== "alone") return vote?.phase === "revealed" ? (vote.rounds ?? []) : [];
  const own = answeredAlone();
  if (own === null || state.step !== "answer") return [];
  return [asked.guess.values.map((_, i) => (i === own ? 1 : 0))];
}
