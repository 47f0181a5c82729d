//! [`Params`]: the parameters of one statement.

use super::{Parameter, RowEncoder, ToSql};
use crate::error::Result;

/// The parameters of one execution: `()`, a tuple, an array, a slice or a vector of [`ToSql`] values.
///
/// ```
/// use informix::{Params, ToSql};
/// assert_eq!((1, "two", None::<f64>).into_parameters()?.len(), 3);
/// let mixed: [&dyn ToSql; 2] = [&1, &"two"];
/// assert_eq!(mixed.into_parameters()?.len(), 2);
/// # Ok::<(), informix::Error>(())
/// ```
pub trait Params {
    /// The parameters in order.
    ///
    /// # Errors
    /// When a value has no Informix counterpart.
    fn into_parameters(self) -> Result<Vec<Parameter>>;

    /// Writes the parameters into a request, in order.
    ///
    /// # Errors
    /// When a value has no Informix counterpart, or cannot be sent.
    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()>
    where
        Self: Sized,
    {
        self.into_parameters()?.iter().try_for_each(|p| row.parameter(p))
    }
}

impl Params for () {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        Ok(Vec::new())
    }
}

impl<T: ToSql> Params for &[T] {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        self.iter().map(ToSql::to_sql).collect()
    }

    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.iter().try_for_each(|value| value.write_to(row))
    }
}

impl<T: ToSql, const N: usize> Params for [T; N] {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        self.as_slice().into_parameters()
    }

    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.as_slice().write_to(row)
    }
}

impl<T: ToSql, const N: usize> Params for &[T; N] {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        self.as_slice().into_parameters()
    }

    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.as_slice().write_to(row)
    }
}

impl<T: ToSql> Params for Vec<T> {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        self.as_slice().into_parameters()
    }

    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.as_slice().write_to(row)
    }
}

impl<T: ToSql> Params for &Vec<T> {
    fn into_parameters(self) -> Result<Vec<Parameter>> {
        self.as_slice().into_parameters()
    }

    fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.as_slice().write_to(row)
    }
}

macro_rules! tuple {
    ($($name:ident),+) => {
        impl<$($name: ToSql),+> Params for ($($name,)+) {
            fn into_parameters(self) -> Result<Vec<Parameter>> {
                #[allow(non_snake_case)]
                let ($($name,)+) = self;
                Ok(vec![$($name.to_sql()?),+])
            }

            fn write_to(self, row: &mut RowEncoder<'_>) -> Result<()> {
                #[allow(non_snake_case)]
                let ($($name,)+) = self;
                $($name.write_to(row)?;)+
                Ok(())
            }
        }
    };
}

tuple!(A);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);
tuple!(A, B, C, D, E);
tuple!(A, B, C, D, E, F);
tuple!(A, B, C, D, E, F, G);
tuple!(A, B, C, D, E, F, G, H);
tuple!(A, B, C, D, E, F, G, H, I);
tuple!(A, B, C, D, E, F, G, H, I, J);
tuple!(A, B, C, D, E, F, G, H, I, J, K);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P);
