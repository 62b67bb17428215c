//! The votes of a class: one question at a time, which the lecturer opens, closes, asks again and reveals;
//! and the view of the lecturer's page, which the pages of the class follow if they wish.
//!
//! An answer belongs to a token and replaces the one before it. Nothing says who answered, nothing is
//! written to a file, and of a round that has ended only counts are kept.

pub mod routes;
mod tokens;

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::scene::Refusal;
use tokens::{TokenBits, TokenError, Tokens};

/// The most rounds of a question: before and after the discussion.
const MOST_ROUNDS: usize = 2;
/// The most answers that a question can have: choices, or values of a sweep.
const MOST_OPTIONS: usize = 1000;
/// The most questions whose counts are kept for export.
const MOST_KEPT: usize = 500;
/// The most bytes of a text that the lecturer's page tells the class.
const LONGEST_TEXT: usize = 10_000;

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    Closed,
    Revealed,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Open => "open",
            Phase::Closed => "closed",
            Phase::Revealed => "revealed",
        }
    }
}

/// A question that a class votes on.
#[derive(Clone)]
pub struct Question {
    /// The lesson whose question it is.
    pub lesson: String,
    /// How many answers it has.
    pub options: usize,
    /// The choices as the lecturer's page shows them; empty for a guess.
    pub choices: Vec<String>,
}

/// What is said when the answer is revealed.
#[derive(Clone, Default)]
pub struct Answer {
    /// Which answers are right: the correct choice, or the best value and those that are tied with it.
    pub right: Vec<usize>,
    /// The answer in words.
    pub answer: Option<String>,
    /// What to look for.
    pub look_for: Option<String>,
}

/// A question with what was answered.
struct Vote {
    question: Question,
    phase: Phase,
    /// The answers of the round that is open, by token.
    answers: HashMap<TokenBits, usize>,
    /// The counts of the rounds that have ended.
    rounds: Vec<Vec<u32>>,
    said: Answer,
}

impl Vote {
    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.question.options];
        for answer in self.answers.values() {
            counts[*answer] += 1;
        }
        counts
    }

    /// Ends the round, if one is open. The answers stay with their tokens until the next round begins, so
    /// that pages can show their own.
    fn close(&mut self) {
        if self.phase == Phase::Open {
            self.phase = Phase::Closed;
            self.rounds.push(self.counts());
        }
    }

    fn round(&self) -> usize {
        self.rounds.len() + usize::from(self.phase == Phase::Open)
    }
}

/// A question with the counts of its rounds that have ended.
pub struct EndedRounds {
    pub question: Question,
    pub rounds: Vec<Vec<u32>>,
    /// Which answers are right, where they have been revealed.
    pub right: Vec<usize>,
}

/// What can be asked of the votes.
#[derive(Default)]
struct VotingRoom {
    tokens: Tokens,
    vote: Option<Vote>,
    /// Counts the rounds of all questions: an answer names the round that it is for.
    number: u64,
    ended: VecDeque<Vote>,
    /// What was revealed, by lesson.
    revealed: HashMap<String, Answer>,
    /// What the lecturer's page shows, where the class may follow it.
    view: Option<Value>,
    /// How many pages of students are connected.
    here: usize,
    closed: bool,
}

/// How often something has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Versions {
    vote: u64,
    view: u64,
}

/// The votes of a lab, and the view that its class follows.
pub struct Votes {
    room: Mutex<VotingRoom>,
    /// Changes with what everybody sees.
    stage: watch::Sender<Versions>,
    /// Changes with what the lecturer sees, which is every answer.
    count: watch::Sender<Versions>,
}

/// A page that listens, counted until it is dropped.
struct Presence(Option<Arc<Votes>>);

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(votes) = &self.0 {
            votes.room().here -= 1;
            votes.tell(false);
        }
    }
}

impl Votes {
    /// Without a question.
    pub fn new() -> Arc<Self> {
        Arc::new(Votes {
            room: Mutex::default(),
            stage: watch::Sender::default(),
            count: watch::Sender::default(),
        })
    }

    fn room(&self) -> MutexGuard<'_, VotingRoom> {
        self.room
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Says that something has changed: what everybody sees, or only what the lecturer sees.
    fn tell(&self, everybody: bool) {
        if everybody {
            self.stage.send_modify(|versions| versions.vote += 1);
        }
        self.count.send_modify(|versions| versions.vote += 1);
    }

    /// Ends all streams.
    pub fn close(&self) {
        self.room().closed = true;
        self.tell(true);
    }

    /// A token for a student.
    pub fn token(&self, network: IpAddr) -> Result<String, Refusal> {
        let VotingRoom { tokens, vote, .. } = &mut *self.room();
        let answered = |token: &TokenBits| {
            let mut votes = vote.iter();
            votes.any(|vote| vote.answers.contains_key(token))
        };
        tokens.issue(network, answered).map_err(refused)
    }

    /// Whether a token is one of this lab.
    fn check(&self, token: &str) -> Result<(), Refusal> {
        let known = self.room().tokens.find(token);
        known.map(|_| ()).ok_or_else(unknown_token)
    }

    /// Takes an answer, in place of an earlier one of the same token.
    pub fn answer(&self, token: &str, number: u64, choice: usize) -> Result<(), Refusal> {
        let mut room = self.room();
        let token = room.tokens.find(token).ok_or_else(unknown_token)?;
        room.tokens.may_answer(&token).map_err(refused)?;
        let current = room.number;
        let conflict = |message: &str| Err(Refusal::Conflict(message.to_owned()));
        let Some(vote) = &mut room.vote else {
            return conflict("no question is open");
        };
        if number != current {
            return conflict("another question is open, or another round of this one");
        }
        if vote.phase != Phase::Open {
            return conflict("voting is closed");
        }
        if choice >= vote.question.options {
            let message = format!(
                "the question has {} answers, counted from 0; there is no {choice}",
                vote.question.options
            );
            return Err(Refusal::Asked(message));
        }
        vote.answers.insert(token, choice);
        drop(room);
        self.tell(false);
        Ok(())
    }

    /// Opens a question, in place of any other.
    pub fn open(&self, question: Question) -> Result<(), Refusal> {
        let Question {
            options, choices, ..
        } = &question;
        if !(1..=MOST_OPTIONS).contains(options) {
            let message = match options {
                0 => "this lesson has no question to vote on: its TOML needs `choices` or `guess`"
                    .to_owned(),
                _ => format!("a class can vote on at most {MOST_OPTIONS} values, not {options}"),
            };
            return Err(Refusal::Asked(message));
        }
        let long = choices.iter().any(|choice| choice.len() > LONGEST_TEXT);
        if long || !choices.is_empty() && choices.len() != *options {
            let message = format!("expected the texts of {options} choices");
            return Err(Refusal::Asked(message));
        }
        let mut room = self.room();
        room.end();
        room.number += 1;
        room.vote = Some(Vote {
            question,
            phase: Phase::Open,
            answers: HashMap::new(),
            rounds: Vec::new(),
            said: Answer::default(),
        });
        drop(room);
        self.tell(true);
        Ok(())
    }

    /// Changes the question that is asked.
    fn change(
        &self,
        change: impl FnOnce(&mut VotingRoom) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut room = self.room();
        if room.vote.is_none() {
            return Err(Refusal::Conflict("no question is open".to_owned()));
        }
        change(&mut room)?;
        drop(room);
        self.tell(true);
        Ok(())
    }

    /// Takes no more answers.
    pub fn close_round(&self) -> Result<(), Refusal> {
        self.change(|room| {
            room.vote.iter_mut().for_each(Vote::close);
            Ok(())
        })
    }

    /// Opens the next round, for which everybody answers anew.
    pub fn again(&self) -> Result<(), Refusal> {
        self.change(|room| {
            let Some(vote) = &mut room.vote else {
                return Ok(());
            };
            if vote.phase == Phase::Revealed {
                let message = "the answer has been revealed: open the question anew";
                return Err(Refusal::Conflict(message.to_owned()));
            }
            if vote.round() >= MOST_ROUNDS {
                let message = format!("a question has at most {MOST_ROUNDS} rounds");
                return Err(Refusal::Conflict(message));
            }
            vote.close();
            vote.phase = Phase::Open;
            vote.answers.clear();
            room.number += 1;
            Ok(())
        })
    }

    /// Shows everybody the counts and the answer.
    pub fn reveal(&self, said: Answer) -> Result<(), Refusal> {
        let texts = [&said.answer, &said.look_for];
        let long = texts
            .into_iter()
            .flatten()
            .any(|text| text.len() > LONGEST_TEXT);
        if long {
            let message = format!("the answer has at most {LONGEST_TEXT} bytes");
            return Err(Refusal::Asked(message));
        }
        self.change(|room| {
            let Some(vote) = &mut room.vote else {
                return Ok(());
            };
            let options = vote.question.options;
            if said.right.len() > options || said.right.iter().any(|right| *right >= options) {
                let message = format!("`right` has numbers below {options}");
                return Err(Refusal::Asked(message));
            }
            vote.close();
            vote.phase = Phase::Revealed;
            vote.said = said;
            let (lesson, said) = (vote.question.lesson.clone(), vote.said.clone());
            room.revealed.insert(lesson, said);
            Ok(())
        })
    }

    /// Puts the question away.
    pub fn end(&self) -> Result<(), Refusal> {
        self.change(|room| {
            room.end();
            Ok(())
        })
    }

    /// Shows the class what the lecturer's page shows, or leaves it to itself.
    pub fn show(&self, view: Option<Value>) {
        let mut room = self.room();
        let news = room.view.is_some() != view.is_some();
        room.view = view;
        drop(room);
        self.stage.send_modify(|versions| versions.view += 1);
        if news {
            self.tell(false);
        }
    }

    /// The message about the view that the class follows.
    fn view(&self) -> Value {
        json!({ "is": "view", "view": self.room().view })
    }

    /// All questions so far, and the one that is asked.
    fn ended(&self) -> Vec<EndedRounds> {
        let room = self.room();
        let votes = room.ended.iter().chain(&room.vote);
        let ended = votes.map(|vote| EndedRounds {
            question: vote.question.clone(),
            rounds: vote.rounds.clone(),
            right: vote.said.right.clone(),
        });
        ended.collect()
    }

    /// Puts what was revealed into what a student's menu knows of a lesson.
    pub fn tell_revealed(&self, told: &mut Value) {
        if told["withheld"].is_null() {
            return;
        }
        let room = self.room();
        let name = told["name"].as_str().unwrap_or_default();
        if let Some(said) = room.revealed.get(name) {
            told["answer"] = json!(said.answer);
            told["lookFor"] = json!(said.look_for);
        }
    }

    /// What a page sees: of the lecturer, or of the holder of a token.
    fn state(&self, lecturer: bool, token: Option<&str>) -> Option<Value> {
        let room = self.room();
        if room.closed {
            return None;
        }
        let mut state = json!({ "is": "vote", "number": room.number, "phase": "none" });
        if lecturer {
            state["here"] = json!(room.here);
            state["shown"] = json!(room.view.is_some());
        }
        let Some(vote) = &room.vote else {
            return Some(state);
        };
        let mine = token.and_then(|token| room.tokens.find(token));
        let mine = mine.and_then(|token| vote.answers.get(&token));
        state["phase"] = json!(vote.phase.name());
        state["lesson"] = json!(vote.question.lesson);
        state["choices"] = json!(vote.question.choices);
        state["options"] = json!(vote.question.options);
        state["round"] = json!(vote.round());
        state["mine"] = json!(mine);
        if lecturer {
            state["answered"] = json!(vote.answers.len());
        }
        let revealed = vote.phase == Phase::Revealed;
        if revealed || lecturer {
            state["rounds"] = json!(vote.rounds);
        }
        if revealed {
            state["right"] = json!(vote.said.right);
            state["answer"] = json!(vote.said.answer);
            state["lookFor"] = json!(vote.said.look_for);
        }
        Some(state)
    }
}

impl VotingRoom {
    fn end(&mut self) {
        if let Some(mut vote) = self.vote.take() {
            vote.close();
            vote.answers.clear();
            self.ended.push_back(vote);
            if self.ended.len() > MOST_KEPT {
                self.ended.pop_front();
            }
        }
    }
}

fn unknown_token() -> Refusal {
    let message = "this token is not known here: ask for a new one";
    Refusal::Forbidden(message.to_owned())
}

fn refused(error: TokenError) -> Refusal {
    match error {
        TokenError::TooMany(message) => Refusal::TooMany(message.to_owned()),
        TokenError::Random => {
            Refusal::Failed("the operating system provides no random numbers".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lesson: &str) -> Question {
        Question {
            lesson: lesson.to_owned(),
            options: 3,
            choices: ["a", "b", "c"].map(str::to_owned).to_vec(),
        }
    }

    fn status(result: Result<(), Refusal>) -> u16 {
        result.err().map_or(200, |refusal| refusal.parts().0)
    }

    #[test]
    fn an_answer_counts_once_for_the_question_that_is_open() {
        let votes = Votes::new();
        let network = IpAddr::from([10, 0, 0, 1]);
        let tokens: Vec<String> = (0..3).map(|_| votes.token(network).unwrap()).collect();
        assert_eq!(
            status(votes.answer(&tokens[0], 1, 0)),
            409,
            "nothing is open"
        );
        assert_eq!(status(votes.close_round()), 409);
        votes.open(asked("one")).unwrap();
        for (token, number, choice, expected) in [
            (&*tokens[0], 1, 0, 200),
            (&tokens[0], 1, 2, 200),
            (&tokens[1], 1, 1, 200),
            (&tokens[1], 1, 3, 400),
            (&tokens[1], 0, 0, 409),
            (&tokens[1], 2, 0, 409),
            ("nobody", 1, 0, 403),
        ] {
            assert_eq!(status(votes.answer(token, number, choice)), expected);
        }
        let open = votes.state(false, Some(&tokens[0])).unwrap();
        assert_eq!((&open["mine"], &open["phase"]), (&json!(2), &json!("open")));
        assert!(open["rounds"].is_null() && open["answered"].is_null());
        votes.close_round().unwrap();
        assert_eq!(status(votes.answer(&tokens[2], 1, 0)), 409, "late");
        assert!(votes.state(false, None).unwrap()["rounds"].is_null());
        assert_eq!(
            votes.state(true, None).unwrap()["rounds"],
            json!([[0, 1, 1]])
        );
        votes.again().unwrap();
        assert_eq!(
            status(votes.answer(&tokens[2], 1, 0)),
            409,
            "of the first round"
        );
        assert_eq!(status(votes.answer(&tokens[2], 2, 0)), 200);
        assert_eq!(votes.state(true, None).unwrap()["round"], 2);
        let said = |right| Answer {
            right: vec![right],
            answer: Some("because".to_owned()),
            look_for: None,
        };
        assert_eq!(status(votes.reveal(said(3))), 400);
        votes.reveal(said(1)).unwrap();
        assert_eq!(status(votes.answer(&tokens[2], 2, 1)), 409);
        assert_eq!(status(votes.again()), 409);
        let shown = votes.state(false, None).unwrap();
        assert_eq!(shown["rounds"], json!([[0, 1, 1], [1, 0, 0]]));
        assert_eq!(
            (&shown["right"], &shown["answer"]),
            (&json!([1]), &json!("because"))
        );
        // Another question begins with nothing.
        votes.open(asked("two")).unwrap();
        let next = votes.state(true, None).unwrap();
        assert_eq!((&next["number"], &next["answered"]), (&json!(3), &json!(0)));
        assert!(next["right"].is_null());
        let mut told = json!({ "name": "one", "answer": null, "withheld": true });
        votes.tell_revealed(&mut told);
        assert_eq!(told["answer"], "because");
    }

    #[test]
    fn the_lecturer_sees_whether_the_class_is_shown_something() {
        let votes = Votes::new();
        let shown = || votes.state(true, None).unwrap()["shown"].clone();
        assert_eq!(
            (shown(), votes.view()["view"].clone()),
            (json!(false), Value::Null)
        );
        votes.show(Some(json!({ "lesson": "one" })));
        assert_eq!(
            (shown(), &votes.view()["view"]["lesson"]),
            (json!(true), &json!("one"))
        );
        assert!(votes.state(false, None).unwrap()["shown"].is_null());
        votes.show(None);
        assert_eq!(
            (shown(), votes.view()["view"].clone()),
            (json!(false), Value::Null)
        );
    }

    #[test]
    fn a_question_has_its_limits() {
        let votes = Votes::new();
        for options in [0, MOST_OPTIONS + 1] {
            let wrong = Question {
                options,
                choices: Vec::new(),
                ..asked("one")
            };
            assert_eq!(status(votes.open(wrong)), 400);
        }
        let few = Question {
            options: 2,
            ..asked("one")
        };
        assert_eq!(status(votes.open(few)), 400);
        for _ in 0..MOST_KEPT + 5 {
            votes.open(asked("one")).unwrap();
        }
        assert_eq!(votes.room().ended.len(), MOST_KEPT);
        votes.again().unwrap();
        assert_eq!(status(votes.again()), 409, "there are two rounds");
        let state = votes.state(true, None).unwrap();
        assert_eq!(
            (&state["phase"], &state["round"]),
            (&json!("open"), &json!(2))
        );
    }
}
